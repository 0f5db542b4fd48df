# Runs as root. Writes the first line of standard input to the file $1, tells so, and removes the file at the next line.
# If the input ends without one, the server is gone. Then the program that needs the file may not have read it yet, so
# the file is removed after $2 seconds.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
umask 027
set -e
IFS= read -r text
trap 'rm -f -- "$1"' EXIT
printf %s "$text" >"$1"
unset text
echo written
read -r _ || sleep "$2"
