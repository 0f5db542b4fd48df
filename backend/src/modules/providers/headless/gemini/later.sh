# Starts a program once the minute is over in which Gemini made a file of this session.
# Arguments: the session; the program and its arguments.
session=$(printf %.8s "$1")
shift
now=$(date -u +%Y-%m-%dT%H-%M:%S)
for file in "$HOME"/.gemini/tmp/*/chats/session-"${now%:*}-$session"*; do
  [ -e "$file" ] || continue
  second=${now#*:}
  sleep $((61 - ${second#0}))
  break
done
exec "$@"
