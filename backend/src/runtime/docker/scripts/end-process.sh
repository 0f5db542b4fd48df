# Ends one process: asks it with SIGTERM, and kills it if it still exists after the given seconds.
# Arguments: pid, seconds. Exits with 3 if there is no such process, and with 4 if it may not be ended.
pid=$1
grace=$2
start_of() {
  read_stat "$1" || return 1
  set -- ${stat##*) }
  [ "$1" != Z ] || return 1
  shift 19
  start=$1
}
[ "$pid" -gt 1 ] || exit 4
start_of "$pid" || exit 3
born=$start
kill -s TERM "$pid" 2>/dev/null || exit 4
# A stopped process would not handle the signal.
kill -s CONT "$pid" 2>/dev/null
rounds=$((grace * 10))
while [ "$rounds" -gt 0 ]; do
  start_of "$pid" && [ "$start" = "$born" ] || exit 0
  sleep 0.1
  rounds=$((rounds - 1))
done
start_of "$pid" && [ "$start" = "$born" ] && kill -s KILL "$pid" 2>/dev/null
exit 0
