# Ends the processes of one terminal as a closed terminal would: hang-up, then the kill for what is left.
# Arguments: pid and start ticks of its first process, seconds until the kill. Runs as the agent's user, since root
# without capabilities could not signal it. Only builtins where it counts, so that a full process table does not stop it.
#
# Ended: all of the session and every descendant of it at the moment of the hang-up. Spared: what ignores SIGHUP, with
# its descendants (nohup), and what is in another session and no descendant any more (setsid). The first process itself
# is never spared; nor is the program, where that is a child of the launcher (launch.sh).
leader=$1
born=$2
grace=$3

# Reads pid, ppid, session and start of one process; fails when it is gone.
look() {
  read_stat "$1" || return 1
  set -- "$1" ${stat##*) }
  pid=$1 state=$2 ppid=$3 session=$5 start=${21}
  [ "$state" != Z ] && [ "$state" != X ]
}

ignores_hangup() {
  read_ignored "$1"
  case $mask in *[13579bdf]) return 0 ;; esac
  return 1
}

# The number may have been given to somebody else: then nothing of the session is left.
launcher=
if look "$leader"; then
  [ "$start" = "$born" ] || exit 0
  case $stat in *" (slipway-launch) "*) launcher=$leader ;; esac
fi

targets=' ' spared=' '
# Finds what is to be ended now. What ignores the hang-up is looked for first, so that its descendants are spared
# whatever their order; then come the members of the session and, until nothing changes, their descendants.
collect() {
  all=
  for entry in /proc/[0-9]*; do
    look "${entry#/proc/}" || continue
    all="$all $pid:$ppid:$session:$start"
    case $targets$spared in *" $pid:$start "*) continue ;; esac
    [ "$pid" != 1 ] && [ "$pid" != "$leader" ] && [ "$ppid" != "$launcher" ] && ignores_hangup "$pid" && spared="$spared$pid:$start "
  done
  spread "$spared"
  spared=$found
  spread "$targets" "$leader"
  targets=$found
}

# Sets found to the set given and every living descendant of it, and the members of the session given, that are in
# neither set yet.
spread() {
  found=$1
  changed=1
  while [ -n "$changed" ]; do
    changed=
    for item in $all; do
      pid=${item%%:*} rest=${item#*:}
      ppid=${rest%%:*} rest=${rest#*:}
      session=${rest%%:*} start=${rest#*:}
      [ "$pid" = 1 ] && continue
      case $targets$spared$found in *" $pid:$start "*) continue ;; esac
      case $found in
      *" $ppid:"*) ;;
      *) [ "$session" = "$2" ] || continue ;;
      esac
      found="$found$pid:$start "
      changed=1
    done
  done
}

# Sends a signal to every target that is alive, and sets left to their number.
signal() {
  left=0
  for target in $targets; do
    look "${target%:*}" && [ "$start" = "${target#*:}" ] || continue
    left=$((left + 1))
    [ -z "$1" ] || kill -s "$1" "$pid" 2>/dev/null
  done
}

collect
signal HUP
signal CONT
rounds=$((grace * 10))
while [ "$rounds" -gt 0 ]; do
  collect
  signal ''
  [ "$left" -eq 0 ] && exit 0
  sleep 0.1
  rounds=$((rounds - 1))
done
rounds=100
while [ "$rounds" -gt 0 ]; do
  collect
  signal STOP
  collect
  signal KILL
  [ "$left" -eq 0 ] && exit 0
  sleep 0.05
  rounds=$((rounds - 1))
done
exit 1
