# Says for each path whether it is as it was. Arguments: the home, then absolute paths (escaped for `printf %b`). For each
# path it prints a line: a version, which changes with the content of a file and with the names in a folder, or "none".
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C TZ=UTC0
home=$(cd -P -- "$1" && pwd -P) || exit 13
shift

version() {
  case $PWD in "$home" | "$home"/*) ;; *) return 1 ;; esac
  facts=$(stat -c '%i-%s-%y-%z' -- "$1" 2>/dev/null) || return 1
  printf '%s\n' "$facts" | tr -c '0-9\n' -
}

look() {
  # Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
  path=$(printf '%b.' "$1")
  path=${path%.}
  if [ -d "$path" ]; then
    cd -P -- "$path" 2>/dev/null && version .
  else
    cd -P -- "${path%/*}" 2>/dev/null && [ -f "./${path##*/}" ] && version "./${path##*/}"
  fi
}

for path in "$@"; do look "$path" || echo none; done
