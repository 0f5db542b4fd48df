# Searches in the files below a folder of the home. Arguments: the home, an absolute path and a pattern (both escaped for
# `printf %b`), the longest time in seconds, "all" for ignored files, too, and options of ripgrep. The first line is "ready".
# Then come ripgrep's own lines of JSON. It ends with its input, because the user may go away before it finds anything.
# Exit codes: see program.ts; 124 after the longest time.
PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C.UTF-8
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
path=$(printf '%b.' "$2") pattern=$(printf '%b.' "$3")
path=${path%.} pattern=${pattern%.} seconds=$4 all=$5
shift 5

[ -e "$path" ] || [ -L "$path" ] || exit 10
[ -d "$path" ] || exit 17
cd -P -- "$path" 2>/dev/null || exit 13
real=$(readlink "/proc/$$/cwd")
case $real in "$home" | "$home"/*) ;; *) exit 11 ;; esac
command -v rg >/dev/null || exit 21
rg --no-config --no-messages --quiet "$@" -e "$pattern" /dev/null 2>/dev/null
[ $? -le 1 ] || exit 20

if [ "$all" = all ]; then
  set -- "$@" --no-ignore
else
  # Hidden folders of the home are caches and settings of programs.
  set -- "$@" -g '!.git' -g '!node_modules'
  [ "$real" != "$home" ] || set -- "$@" -g '!/.*/'
fi
echo ready
exec 5<&0
timeout "$seconds" rg --no-config --no-messages --json --hidden "$@" -e "$pattern" ./ &
child=$!
(read -r _ <&5; kill "$child") 2>/dev/null &
watch=$!
wait "$child"
code=$?
kill "$watch" 2>/dev/null
# ripgrep exits with 1 if it finds nothing, and with 2 if it could not read a file.
[ "$code" -le 2 ] || exit "$code"
