# Finds which paths are files or folders in the home. Arguments: the home, then the paths. For each path it prints three
# strings, each ended by NUL: "file", "folder" or "none"; the size in bytes; the real path. Exit codes: see program.ts.
#
# A relative path is looked up in the working folders of programs with a terminal, newest first, and then in the home.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
home=$(cd -P -- "$1" && pwd -P) || exit 13
shift

inside() {
  case $1 in "$home" | "$home"/*) return 0 ;; esac
  return 1
}

# Most programs whose folders are searched, newest first; a container may have hundreds.
looked=0 at_work=
for pid in $(ls /proc | sed -n '/^[0-9][0-9]*$/p' | sort -rn); do
  [ "$looked" -ge 64 ] && break
  read -r stat 2>/dev/null <"/proc/$pid/stat" || continue
  # Fields after the name, which is in brackets and may contain anything: state, parent, group, session, terminal.
  rest=${stat##*) } tty=0
  for field in 1 2 3 4 5; do
    tty=${rest%% *} rest=${rest#* }
  done
  [ "$tty" = 0 ] && continue
  looked=$((looked + 1))
  at_work="$at_work $pid"
done

say() {
  printf '%s\0%s\0%s\0' "$1" "$2" "$3"
}

answer() {
  real=$(readlink -f -- "$1") || return 1
  inside "$real" || return 1
  if [ -f "$real" ]; then
    say file "$(stat -L -c %s -- "$real")" "$real"
  elif [ -d "$real" ]; then
    say folder 0 "$real"
  else
    return 1
  fi
}

look() {
  case $1 in
  /*) answer "$1" && return ;;
  *)
    for pid in $at_work; do
      where=$(readlink "/proc/$pid/cwd" 2>/dev/null) || continue
      inside "$where" && answer "$where/$1" && return
    done
    answer "$home/$1" && return
    ;;
  esac
  say none 0 ''
}

for path in "$@"; do look "$path"; done
