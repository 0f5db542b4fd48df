# Starts a program with a file that holds SLIPWAY_SERVERS. The file has no name any more when the program starts, so nothing
# of it is left, however the program ends. Its processes open it through the first of them.
# Arguments: an option such as --config=, or the name of a variable with an equals sign; the program and its arguments.
set -e
umask 077
file=$(mktemp /tmp/slipway-servers.XXXXXXXX)
exec 3<"$file" 4>"$file"
rm -f -- "$file"
printf %s "$SLIPWAY_SERVERS" >&4
exec 4>&-
unset SLIPWAY_SERVERS
at=$1/proc/$$/fd/3
shift
case $at in
-*) exec "$@" "$at" ;;
*) export "${at?}" && exec "$@" ;;
esac
