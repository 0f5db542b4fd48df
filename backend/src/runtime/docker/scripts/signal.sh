# Signals all processes of a program's session, whatever process groups they are in.
# Arguments: pid and start ticks of its first process, the signal's name. Only builtins, as in hangup.sh.
leader=$1
born=$2
name=$3

# Reads state, session and start of one process; fails when it is gone.
look() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  state=$1 session=$4 start=${20}
}

if look "$leader"; then
  # The number may have been given to another process.
  [ "$start" = "$born" ] || exit 0
fi
for entry in /proc/[0-9]*; do
  pid=${entry#/proc/}
  look "$pid" && [ "$session" = "$leader" ] || continue
  # The launcher is there to tell how its program ended.
  case $stat in *" (slipway-launch) "*) continue ;; esac
  kill -s "$name" "$pid" 2>/dev/null
done
exit 0
