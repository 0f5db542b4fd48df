# Signals all processes of a program's session, in all process groups.
# Arguments: pid and start ticks of its first process, name of the signal. Uses only builtins, as in hangup.sh.
leader=$1
born=$2
name=$3

# Reads state, session and start of one process. Fails if it is gone.
look() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  state=$1 session=$4 start=${20}
}

if look "$leader"; then
  # The pid may belong to a new process now.
  [ "$start" = "$born" ] || exit 0
fi
for entry in /proc/[0-9]*; do
  pid=${entry#/proc/}
  look "$pid" && [ "$session" = "$leader" ] || continue
  # The launcher must stay to report how its program ended.
  case $stat in *" (slipway-launch) "*) continue ;; esac
  kill -s "$name" "$pid" 2>/dev/null
done
exit 0
