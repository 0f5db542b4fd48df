# Reads what changed in a git work tree, and takes changes back. Arguments: the mode, the run's own folder, and
# - `begin`: the home, the folder of the run
# - `compare`: the tree that `begin` printed
# - `keep`: most kept folders of runs that are over, and their size in KiB
# - `discard`: that tree, the tree that the user looked at, the number of the hunk or 0 for the whole file, its path, its
#   path before it was renamed or nothing; then, behind the limits, the folders of the tasks that are at work
# - `undo`: the trees before and after a discard; then the same
# Then the limits: bytes of the changed paths, bytes of the changed files, bytes of each printed part. Exit codes: see
# program.ts.

# Keeps our folder for those who look at the changes later, and removes the oldest ones of other runs that are over.
keep() {
  rm -f -- "$own"/*.$$
  : >"$own/over" || exit 21
  count=0 size=0
  ls -td /tmp/slipway-changes-*/over | while IFS= read -r over; do
    folder=${over%/over}
    case ${folder#/tmp/slipway-changes-} in *[!0-9a-f-]*) continue ;; esac
    count=$((count + 1))
    size=$((size + $(du -sk -- "$folder" | cut -f 1)))
    if [ "$count" -gt "$1" ] || [ "$size" -gt "$2" ]; then rm -rf -- "$folder"; fi
  done
}

# Takes back a hunk of a file, or the file. Prints the trees before and after.
discard() {
  before=$tree
  between --quiet "$seen" "$tree" -- "$@" 2>/dev/null || exit 26
  between --raw --no-renames "$base" "$tree" -- "$@" >"$own/list.$$" 2>/dev/null || exit 26
  [ -s "$own/list.$$" ] || exit 26
  # A folder took the place of the file, or the other file of a rename is unchanged.
  [ "$(wc -l <"$own/list.$$")" -eq $# ] || exit 25
  # A submodule is no file.
  ! grep -q '^:160000 \|^:[0-7]* 160000 ' "$own/list.$$" || exit 25
  if [ "$hunk" = 0 ]; then
    between --patch --binary --no-renames "$base" "$tree" -- "$@" >"$own/patch.$$" 2>/dev/null || exit 21
  else
    between --patch --find-renames "$base" "$tree" -- "$@" 2>/dev/null | hunk_of "$hunk" >"$own/patch.$$"
    # Not every awk reads NUL.
    [ "$(between --patch --find-renames "$base" "$tree" -- "$@" 2>/dev/null | tr -cd '\000' | wc -c)" -eq 0 ] || exit 25
  fi
  apply -R
  printf '%s\0' "$@" >"$own/paths.$$"
  update --add --remove --replace <"$own/paths.$$"
  tree=$(git write-tree --missing-ok 2>/dev/null) || exit 21
  echo "$before"
  echo "$tree"
}

# Takes back a discard, if its file is still as it left it.
undo() {
  between -z --name-only --no-renames "$before" "$after" >"$own/paths.$$" 2>/dev/null || exit 26
  count=$(tr -cd '\000' <"$own/paths.$$" | wc -c)
  [ "$count" -ge 1 ] && [ "$count" -le 2 ] || exit 26
  xargs -0 git --literal-pathspecs diff-tree --quiet -r "$after" "$tree" -- <"$own/paths.$$" 2>/dev/null || exit 26
  between --patch --binary --no-renames "$after" "$before" >"$own/patch.$$" 2>/dev/null || exit 21
  apply
}

case $mode in
begin)
  paths_max=$5 bytes_max=$6
  home=$(cd -P -- "$3" && pwd -P) || exit 21
  cd -P -- "$4" || exit 20
  find_repository 2>/dev/null
  use_own
  store
  echo "$tree"
  ;;
compare)
  base=$3 paths_max=$4 bytes_max=$5 part_max=$6
  use_own
  store
  compare
  ;;
keep)
  [ ! -d "$own" ] || keep "$3" "$4"
  ;;
discard)
  base=$3 seen=$4 hunk=$5 path=$6 old_path=$7 paths_max=$8 bytes_max=$9
  shift 9
  use_own
  refuse_active "$@"
  store
  set -- "$path"
  [ -z "$old_path" ] || set -- "$path" "$old_path"
  discard "$@"
  ;;
undo)
  before=$3 after=$4 paths_max=$5 bytes_max=$6
  shift 6
  use_own
  refuse_active "$@"
  store
  undo
  ;;
esac
