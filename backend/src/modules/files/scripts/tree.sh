# Lists a folder of the home, however large. Arguments: the home, an absolute path (escaped for `printf %b`), the highest
# number of entries. It prints strings, each ended by NUL: the real path, its version as in versions.sh, and for each entry
# two letters and the name. The letters are those of `find`: the kind with links followed, and the kind. Folders come
# first, both parts by name, without regard to case. Exit codes: see program.ts.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C TZ=UTC0
home=$(cd -P -- "$1" && pwd -P) || exit 13
# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
path=$(printf '%b.' "$2")
path=${path%.}

[ -e "$path" ] || [ -L "$path" ] || exit 10
[ -d "$path" ] || exit 17
cd -P -- "$path" 2>/dev/null || exit 13
# Another program can exchange a link's target between a check and its use, but not the entered folder.
real=$(readlink "/proc/$$/cwd" && echo .)
real=${real%??}
case $real in "$home" | "$home"/*) ;; *) exit 11 ;; esac
[ -r . ] || exit 13

each() {
  for name in * .*; do
    case $name in . | ..) continue ;; esac
    kind=f shown=f
    [ -d "./$name" ] && kind=d shown=d
    [ -L "./$name" ] && shown=l
    [ -e "./$name" ] || [ -L "./$name" ] || continue
    [ "$kind" = d ] || [ -f "./$name" ] || kind=N
    printf '%s%s%s\0' "$kind" "$shown" "$name"
  done
}

# Before the names, so that a change meanwhile is noticed later.
version=$(stat -c '%i-%s-%y-%z' . | tr -c '0-9' -)
printf '%s\0%s\0' "$real" "${version%-}"
if find . -maxdepth 0 -printf '' 2>/dev/null; then
  # The kernel tells the kinds with the names, so only links are looked up. For `%Y`, each file would be.
  find . -mindepth 1 -maxdepth 1 \( -type l -printf '%Yl%f\0' -o -printf '%y%y%f\0' \) 2>/dev/null | head -z -n "$3" | sort -z -f -k1.1,1.1 -k1.3
else
  each | sort -z -f -k1.1,1.1 -k1.3
fi
