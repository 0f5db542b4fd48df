# First process of a terminal. It sets the size before the program can ask for it, announces itself, and starts the program.
# Arguments: rows, columns, then the program and its arguments.
#
# It stays as the program's job control, like a shell. Without it the kernel would drop a stop that a program sends to its
# group. No process would continue a program that did stop, and the program would wait for SIGCONT for ever.
stty rows "$1" cols "$2" 2>/dev/null
shift 2
# Not if the shell is bash, which leaves a loop when a job in it stops.
[ -n "$BASH_VERSION" ] || set -m
case $- in
*m*) ;;
*)
  announce
  exec "$@"
  ;;
esac
# By this name other scripts see that its child is the program, and not itself.
printf slipway-launch >/proc/$$/comm 2>/dev/null
# The shell's messages on jobs must not mix with the program's output.
exec 3>&2 2>/dev/null
# The program handles a closed terminal. While the program is stopped, Ctrl+C must not end this launcher.
trap : HUP INT QUIT
announce
(exec "$@" 2>&3 3>&-)
status=$?
# A stop ends the wait, too, but then the job still exists.
while jobs %1 >/dev/null; do
  # Limits the CPU time for a program that stops itself again at once.
  sleep 0.1 &
  wait $!
  fg %1 >/dev/null
  status=$?
done
exit "$status"
