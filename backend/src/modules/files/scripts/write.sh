# Writes a file of a known size. It appears complete or not at all. Arguments: the home, the folder and the name (both
# escaped for `printf %b`), the size in bytes, a name for the unfinished file, "parents" to create missing folders, and
# what must be in the file's place: a version as read.sh says it, "none", or nothing for anything. Prints "ready" when it
# can begin, and the new version when the file is in its place. Exit codes: see program.ts.
#
# All paths are relative to the entered folder, which no other program can exchange. A link in the file's place is
# replaced, not followed.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C TZ=UTC0
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
folder=$(printf '%b.' "$2") name=$(printf '%b.' "$3")
folder=${folder%.} name=${name%.} size=$4 draft=$5 parents=$6 expected=$7

stay() {
  case $(readlink "/proc/$$/cwd") in "$home" | "$home"/*) ;; *) exit 11 ;; esac
}

version() {
  facts=$(stat $2 -c '%i-%s-%y-%z' -- "$1") || return 1
  printf '%s\n' "$facts" | tr -c '0-9\n' -
}

# The kernel cannot compare and rename in one step, so a change in the instant between both is not noticed.
compare() {
  case $expected in
  '') ;;
  none) [ ! -e "./$name" ] && [ ! -L "./$name" ] || exit 18 ;;
  *) [ -f "./$name" ] && [ ! -L "./$name" ] && [ "$(version "./$name")" = "$expected" ] || exit 19 ;;
  esac
}

if [ "$parents" = parents ]; then
  # One by one, each from inside the previous one. A folder is thus created inside the entered one, even if links change.
  cd -P -- "$home" || exit 13
  rest=${folder#"$1"}
  while [ -n "$rest" ]; do
    rest=${rest#/}
    step=${rest%%/*} rest=${rest#"${rest%%/*}"}
    [ -e "./$step" ] || mkdir -- "./$step" 2>/dev/null || [ -d "./$step" ] || exit 13
    [ -d "./$step" ] || exit 17
    cd -P -- "./$step" 2>/dev/null || exit 13
    stay
  done
else
  [ -e "$folder" ] || exit 10
  cd -P -- "$folder" 2>/dev/null || exit 13
  stay
fi
[ -d "./$name" ] && exit 14
compare
[ -w . ] || exit 13
mode=644
[ -f "./$name" ] && [ ! -L "./$name" ] && mode=$(stat -c %a "./$name") && mode=${mode#"${mode%???}"}

umask 077
# Fails if such a file or link exists.
set -C
exec 3>"./$draft"
set +C
trap 'rm -f "./$draft"' EXIT
trap 'exit 16' HUP INT TERM
echo ready
head -c "$size" >&3 || exit 15
[ "$(stat -L -c %s "/proc/$$/fd/3")" = "$size" ] || exit 16
chmod "$mode" "/proc/$$/fd/3" || exit 13
compare
mv -f -T "./$draft" "./$name" 2>/dev/null || exit 13
version "/proc/$$/fd/3" -L
