# Lists a folder of the home. Arguments: the home, an absolute path (escaped for `printf %b`), the highest number of
# entries. It prints strings, each ended by NUL: the real path, and for each entry "file" or "folder" and its name. Exit
# codes: see program.ts.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
path=$(printf '%b.' "$2")
path=${path%.}

[ -e "$path" ] || [ -L "$path" ] || exit 10
[ -d "$path" ] || exit 17
cd -P -- "$path" 2>/dev/null || exit 13
# Another program can exchange a link's target between a check and its use, but not the entered folder.
real=$(readlink "/proc/$$/cwd")
case $real in "$home" | "$home"/*) ;; *) exit 11 ;; esac
[ -r . ] || exit 13

printf '%s\0' "$real"
count=0
for name in * .*; do
  case $name in . | ..) continue ;; esac
  if [ -d "./$name" ]; then
    kind=folder
  elif [ -f "./$name" ]; then
    kind=file
  else
    continue
  fi
  printf '%s\0%s\0' "$kind" "$name"
  count=$((count + 1))
  [ "$count" -lt "$3" ] || break
done
