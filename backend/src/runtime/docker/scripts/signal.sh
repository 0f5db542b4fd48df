# Sends a signal to every process of one session. Runs as the agent's user.
# Arguments: pid and start ticks of its first process, the signal's name.
look() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  group=$3 session=$4 start=${20}
}
look "$1" && [ "$start" = "$2" ] || exit 0
leader=$1
name=$3
# The group first and at once: it cannot fork away from its signal.
kill -s "$name" -- "-$leader" 2>/dev/null
for entry in /proc/[0-9]*; do
  look "${entry#/proc/}" && [ "$session" = "$leader" ] && [ "$group" != "$leader" ] || continue
  kill -s "$name" "${entry#/proc/}" 2>/dev/null
done
exit 0
