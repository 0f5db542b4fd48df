# Ends one process and what descends from it: asks with SIGTERM, kills what is left after the seconds given.
# Arguments: pid, seconds. Exits with 3 when there is no such process, 4 when it is the container's own.
pid=$1
grace=$2
start_of() {
  stat=
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || [ -n "$stat" ] || return 1
  set -- ${stat##*) }
  [ "$1" != Z ] || return 1
  shift 19
  start=$1
}
[ "$pid" -gt 1 ] || exit 4
start_of "$pid" || exit 3
born=$start
kill -s TERM "$pid" 2>/dev/null || exit 4
kill -s CONT "$pid" 2>/dev/null
rounds=$((grace * 10))
while [ "$rounds" -gt 0 ]; do
  start_of "$pid" && [ "$start" = "$born" ] || exit 0
  sleep 0.1
  rounds=$((rounds - 1))
done
kill -s KILL "$pid" 2>/dev/null
exit 0
