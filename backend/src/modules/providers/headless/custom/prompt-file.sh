# Starts a program with a file as its last argument, which holds the standard input of this script. The file has no name
# any more when the prompt is written, so nothing of it is left, however the program ends. Its processes open it through
# the first of them. Arguments: the program and its arguments.
set -e
umask 077
file=$(mktemp /tmp/slipway-prompt.XXXXXXXX)
exec 3<"$file" 4>"$file"
rm -f -- "$file"
cat >&4
exec 4>&-
exec "$@" "/proc/$$/fd/3" </dev/null
