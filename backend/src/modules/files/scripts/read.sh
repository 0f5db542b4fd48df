# Prints one file, a part of it, or a folder as a tar archive. Arguments: the home, an absolute path (escaped for
# `printf %b`), and of a part the first byte (from 1) and the number of bytes.
# A part that begins after the end is the whole file. The first line is "folder", or
# "file <bytes> <version> <real path in hexadecimal>". Exit codes: see program.ts.
#
# The real path comes from /proc after opening. Another program can exchange a link's target between a check and its use,
# but not an open file.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C TZ=UTC0
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
path=$(printf '%b.' "$2")
path=${path%.}

inside() {
  case $1 in "$home" | "$home"/*) return 0 ;; esac
  return 1
}

[ -e "$path" ] || [ -L "$path" ] || exit 10
inside "$(readlink -f -- "$path")" || exit 11
if [ -d "$path" ]; then
  cd -P -- "$path" 2>/dev/null || exit 13
  inside "$(readlink "/proc/$$/cwd")" || exit 11
  echo folder
  tar -cf - .
  code=$?
  # 1 from GNU tar: something in it changed while it was read. The archive is whole nevertheless. BusyBox has 1 for every
  # failure.
  [ "$code" -ne 1 ] || case $(tar --version 2>/dev/null) in *'GNU tar'*) exit 0 ;; esac
  exit "$code"
fi
[ -e "$path" ] || exit 10
# Checked before opening, because a pipe would block, and afterwards, because another file may have replaced it.
[ -f "$path" ] || exit 12
[ -r "$path" ] || exit 13
exec 3<"$path"
inside "$(readlink "/proc/$$/fd/3")" || exit 11
[ -f "/proc/$$/fd/3" ] || exit 12
facts=$(stat -L -c '%s %i-%s-%y-%z' "/proc/$$/fd/3") || exit 13
size=${facts%% *}
version=$(printf '%s' "${facts#* }" | tr -c '0-9' -)
# `readlink` ends the path with a newline, which is no part of it.
real=$(readlink "/proc/$$/fd/3" | od -An -v -tx1 | tr -d ' \n')
echo "file $size $version ${real%0a}"
if [ -z "$3" ] || [ "$3" -gt "$size" ]; then exec head -c "$size" <&3; fi
tail -c "+$3" <&3 | head -c "$4"
