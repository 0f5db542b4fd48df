# Makes a folder, moves a file or folder, or removes one. Arguments: the home, the act, and the folders and names of the act
# (escaped for `printf %b`). Exit codes: see program.ts.
#
#   folder FOLDER NAME             makes a folder; missing ones on its path, too
#   move FOLDER NAME FOLDER NAME   fails if the target exists
#   trash FOLDER NAME ID           moves it to the folder ID of the trash, or to one with a higher id, and prints that id
#   empty COUNT KIB                removes the oldest from the trash until at most COUNT are left, with at most KIB of 1,024
#                                  bytes besides the newest
#   remove FOLDER NAME             removes it for good
#
# All paths are relative to entered folders, which no other program can exchange. Links are moved and removed themselves.
PATH=/usr/sbin:/usr/bin:/sbin:/bin
export LC_ALL=C
top=$1 act=$2
home=$(cd -P -- "$1" && pwd -P) || exit 13
trash=.slipway-trash

stay() {
  case $(readlink "/proc/$$/cwd") in "$home" | "$home"/*) ;; *) exit 11 ;; esac
}

# The ids of deletions in the trash, oldest first. Names that the platform did not make are left alone.
ids() {
  ls | grep -xE '[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}' | sort
}

if [ "$act" = empty ]; then
  count=$3 kib=$4 kept=0 size=0
  cd -P -- "$home" || exit 13
  # A user may have removed it meanwhile.
  cd -P -- "./$trash" 2>/dev/null || exit 0
  stay
  for old in $(ids | sort -r); do
    kept=$((kept + 1))
    [ "$kept" -gt 1 ] || continue
    if [ "$kept" -le "$count" ]; then
      # Empty if it was put back meanwhile.
      used=$(du -sk -- "./$old" 2>/dev/null | cut -f1)
      size=$((size + ${used:-0}))
    fi
    [ "$kept" -gt "$count" ] || [ "$size" -gt "$kib" ] || continue
    rm -rf -- "./$old"
  done
  exit 0
fi

# Escaped, since an argument of an exec cannot contain all bytes. The dot keeps a newline at the end.
folder=$(printf '%b.' "$3") name=$(printf '%b.' "$4")
folder=${folder%.} name=${name%.}

enter() {
  [ -e "$1" ] || exit 10
  [ -d "$1" ] || exit 17
  cd -P -- "$1" 2>/dev/null || exit 13
  stay
}

# A folder could not be made: there is no room if its place may be written.
unmade() {
  [ -w . ] && exit 15
  exit 13
}

# One by one, each from inside the previous one. A folder is thus created inside the entered one, even if links change.
make() {
  cd -P -- "$home" || exit 13
  rest=${1#"$top"}
  while [ -n "$rest" ]; do
    rest=${rest#/}
    step=${rest%%/*} rest=${rest#"${rest%%/*}"}
    [ -e "./$step" ] || mkdir -- "./$step" 2>/dev/null || [ -d "./$step" ] || unmade
    [ -d "./$step" ] || exit 17
    cd -P -- "./$step" 2>/dev/null || exit 13
    stay
  done
}

exists() {
  [ -e "./$1" ] || [ -L "./$1" ]
}

# The next id.
after() {
  last_digits=${1#"${1%????????????}"}
  printf '%s%012x' "${1%????????????}" "$((0x$last_digits + 1))"
}

if [ "$act" = folder ]; then
  make "$folder"
  exists "$name" && exit 18
  mkdir -- "./$name" 2>/dev/null || unmade
  exit 0
fi

enter "$folder"
exists "$name" || exit 10
[ -w . ] || exit 13
exec 3<.
here="/proc/self/fd/3"

case $act in
move)
  to=$(printf '%b.' "$5") as=$(printf '%b.' "$6")
  to=${to%.} as=${as%.}
  enter "$to"
  exists "$as" && exit 18
  exec 4<.
  mv -n -T -- "$here/$name" "/proc/self/fd/4/$as" 2>/dev/null || exit 13
  # `mv -n` does not say that a file appeared in the target's place meanwhile.
  [ -e "/proc/$$/fd/3/$name" ] || [ -L "/proc/$$/fd/3/$name" ] || exit 0
  exit 18
  ;;
remove)
  rm -rf -- "$here/$name" 2>/dev/null || exit 13
  ;;
trash)
  id=$5
  make "$top/$trash"
  # The order of the ids is the order of the deletions, also after the clock was set back.
  last=$(ids | tail -n 1)
  [ "$(printf '%s\n' "$last" "$id" | sort | tail -n 1)" = "$id" ] || id=$(after "$last")
  until mkdir -- "./$id" 2>/dev/null; do
    # Another deletion may have taken the same one.
    exists "$id" || unmade
    id=$(after "$id")
  done
  exec 4<.
  if ! mv -n -T -- "$here/$name" "/proc/self/fd/4/$id/$name" 2>/dev/null; then
    rmdir -- "./$id"
    exit 13
  fi
  echo "$id"
  ;;
esac
exit 0
