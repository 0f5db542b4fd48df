# First process of a terminal: sets the size before the program can ask for it, says who it is, and becomes the program.
# Arguments: rows, columns, then the program and its arguments. Prints one line: "slipway <pid> <start ticks> <kills>".
stty rows "$1" cols "$2" 2>/dev/null
shift 2
kills=0
for file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
  [ -r "$file" ] || continue
  while read -r key value; do
    [ "$key" = oom_kill ] && kills=$value
  done <"$file"
done
start() {
  read -r stat </proc/$$/stat
  set -- ${stat##*) }
  shift 19
  ticks=$1
}
start
printf 'slipway %s %s %s\n' "$$" "$ticks" "$kills"
unset stat ticks kills key value file
exec "$@"
