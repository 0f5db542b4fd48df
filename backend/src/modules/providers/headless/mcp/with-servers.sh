# Starts a program with a file that holds SLIPWAY_SERVERS. The file has no name any more when the program starts, so nothing
# of it is left, however the program ends. Its processes open it through the first of them.
# Arguments: where the path of the file goes; the program and its arguments. The path follows an option such as --config=,
# as a new last argument, or it is the value of a variable (NAME=). Otherwise it replaces this text in all arguments.
set -e
umask 077
file=$(mktemp /tmp/slipway-servers.XXXXXXXX)
exec 5<"$file" 6>"$file"
rm -f -- "$file"
printf %s "$SLIPWAY_SERVERS" >&6
exec 6>&-
unset SLIPWAY_SERVERS
path=/proc/$$/fd/5
at=$1
shift
case $at in
-*) exec "$@" "$at$path" ;;
*=)
  at=$at$path
  export "${at?}" && exec "$@"
  ;;
esac
for argument; do
  shift
  while [ "$argument" != "${argument#*"$at"}" ]; do
    argument=${argument%%"$at"*}$path${argument#*"$at"}
  done
  set -- "$@" "$argument"
done
exec "$@"
