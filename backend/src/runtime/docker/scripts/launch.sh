# First process of a terminal: sets the size before the program can ask for it, says who it is, and starts the program.
# Arguments: rows, columns, then the program and its arguments.
#
# It stays as the job control above the program, as a shell would be: else the kernel drops a stop that a program sends to
# its group, no one continues a program that did stop, and the program waits for SIGCONT for ever.
stty rows "$1" cols "$2" 2>/dev/null
shift 2
# Not with bash, where that is the shell: it leaves a loop in which a job stops.
[ -n "$BASH_VERSION" ] || set -m
case $- in
*m*) ;;
*)
  announce
  exec "$@"
  ;;
esac
# By this name it is known that its child, and not itself, is the program.
printf slipway-launch >/proc/$$/comm 2>/dev/null
# What a shell says of its jobs is no output of the program.
exec 3>&2 2>/dev/null
# A closed terminal is the program's to hear of; between a stop and its end Ctrl+C is nobody's.
trap : HUP INT QUIT
announce
(exec "$@" 2>&3 3>&-)
status=$?
# A stop ends the wait, too, but then its job is still there.
while jobs %1 >/dev/null; do
  # Bounds what a program costs that stops itself again at once.
  sleep 0.1 &
  wait $!
  fg %1 >/dev/null
  status=$?
done
exit "$status"
