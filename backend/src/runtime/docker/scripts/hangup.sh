# Ends the processes of one terminal like a closed terminal: sends a hang-up, then kills the remaining ones.
# Arguments: pid and start ticks of its first process, seconds until the kill. Runs as the agent's user, because root
# without capabilities could not signal its processes. Critical parts use only builtins, so that a full process table does
# not stop them.
#
# It ends the whole session, and all descendants that it has at the hang-up. It spares processes that ignore SIGHUP, with
# their descendants (nohup). It also spares processes in another session that are no longer descendants (setsid). It never
# spares the first process itself, nor the program if that is a child of the launcher (launch.sh).
leader=$1
born=$2
grace=$3

# Reads pid, ppid, session and start of one process. Fails if it is gone.
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

# If the pid belongs to a new process now, no process of the session is left.
launcher=
if look "$leader"; then
  [ "$start" = "$born" ] || exit 0
  case $stat in *" (slipway-launch) "*) launcher=$leader ;; esac
fi

# Whether processes are in the session of a first process that has ended. One that detaches itself (setsid -f, a daemon)
# still is, for a moment.
may_be_leaving() {
  look "$leader" && return 1
  for entry in /proc/[0-9]*; do
    look "${entry#/proc/}" && [ "$session" = "$leader" ] && ! ignores_hangup "$pid" && return 0
  done
  return 1
}

rounds=25
while [ "$grace" -gt 0 ] && [ "$rounds" -gt 0 ] && may_be_leaving; do
  sleep 0.02
  rounds=$((rounds - 1))
done

targets=' ' spared=' '
# Finds the processes to end. First it finds those that ignore the hang-up, so that their descendants are spared in any
# order. Then it adds the members of the session and, until nothing changes, their descendants.
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

# Sets found to the given set, plus its living descendants and the members of the given session. It adds none that are in
# targets or spared already.
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

# Sends a signal to each living target, and sets left to their number.
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
