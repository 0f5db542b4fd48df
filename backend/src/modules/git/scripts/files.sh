# Files of the work tree that are written all or not at all. $target is the branch that is checked out there, $head its commit, and
# $write_seconds how long git may write.

# Most lines and bytes of what git says of a failure.
SAID_LINES=5
SAID_BYTES=2000

# The exit codes for changed files that are in the way, and for files that could be neither written nor put back.
in_the_way=43 half=51
# What a failure takes back besides the files, and the reference that keeps what was there.
settle=: kept_as=
late=

tell() { head -n "$SAID_LINES" -- "$own/said.$$" 2>/dev/null | head -c "$SAID_BYTES" >&2; }

# Lists have one path a line here, in which a line feed is another character.
listed() { tr '\n\000' '\001\n'; }
unlisted() { tr '\n\001' '\000\n'; }
entries_of() { GIT_INDEX_FILE="$1" git ls-files -z --stage 2>/dev/null | listed | sort; }
paths_of() { sed 's/^[^	]*	//' | sort -u; }

# Learns which files change if the index $2 takes the place of the index $1, and which of them are not there: what put_back needs.
note_files() {
  rm -f -- "$own/before.$$"
  [ ! -f "$1" ] || cp -p -- "$1" "$own/before.$$" || exit 21
  entries_of "$1" >"$own/old.$$"
  entries_of "$2" >"$own/new.$$"
  comm -23 "$own/old.$$" "$own/new.$$" | paths_of >"$own/leaving.$$"
  comm -13 "$own/old.$$" "$own/new.$$" | paths_of | sort -u - "$own/leaving.$$" >"$own/touched.$$"
  there ! <"$own/touched.$$" >"$own/absent.$$"
}

# Refuses if a folder in which files change cannot be written.
refuse_unwritable() {
  sed 's|^|./|; s|/[^/]*$||' "$own/touched.$$" | sort -u | unlisted | xargs -0 -r sh -c '
    for folder; do
      while [ ! -d "$folder" ] && [ "$folder" != . ]; do folder=${folder%/*}; done
      [ -w "$folder" ] && [ -x "$folder" ] || echo "The folder $folder cannot be written."
    done' sh >"$own/said.$$"
  [ ! -s "$own/said.$$" ] || { tell && exit 50; }
}

# Learns what git would do to take the work tree and the copy of the index from the tree $1 to the tree $2, and whether it can.
check_files() {
  git read-tree -n -m -u "$1" "$2" 2>"$own/said.$$" || {
    ! grep -q 'unable to\|cannot stat' "$own/said.$$" || { tell && exit 50; }
    exit "$in_the_way"
  }
  rm -f -- "$own/after.$$"
  [ ! -f "$GIT_INDEX_FILE" ] || cp -p -- "$GIT_INDEX_FILE" "$own/after.$$" || exit 21
  GIT_INDEX_FILE="$own/after.$$" git read-tree -m -i "$1" "$2" 2>/dev/null || exit 21
  note_files "$GIT_INDEX_FILE" "$own/after.$$"
  refuse_unwritable
}

# Runs a git that writes files of the work tree, within its time. What it writes is for the programs of the agent, like their own files.
write() {
  trap 'late=1' HUP INT TERM
  umask 022
  timeout -k 5 "$write_seconds" git "$@" >/dev/null 2>"$own/said.$$"
  code=$?
  umask 077
  [ "$code" != 124 ] || late=1
  # Git goes on if it cannot remove a file.
  [ "$code" != 0 ] || ! grep -q 'unable to unlink' "$own/said.$$" || code=1
  return "$code"
}

# Prints the files of a list that are there, or with ! those that are not.
there() {
  unlisted | xargs -0 -r sh -c '
    for name; do
      if [ -L "$name" ] || { [ -e "$name" ] && [ ! -d "$name" ]; }; then [ -z "$0" ]; else [ -n "$0" ]; fi || continue
      printf "%s\0" "$name"
    done' "$1" | listed | sort
}

# Makes a small index of entries, without repositories, and prints the files that are not as it has them.
unlike() {
  rm -f -- "$own/part.$$"
  grep -v '^160000 ' | unlisted | GIT_INDEX_FILE="$own/part.$$" git update-index -z --index-info 2>/dev/null
  GIT_INDEX_FILE="$own/part.$$" git update-index -q --refresh >/dev/null 2>&1
  GIT_INDEX_FILE="$own/part.$$" git diff-files -z --name-only 2>/dev/null | listed | sort
}

# Whether a file is the beginning of what git was to write: a full disk ends a write within a file.
is_part() {
  [ -f "./$1" ] && [ ! -L "./$1" ] || return 1
  export GIT_INDEX_FILE="$own/part.$$"
  git cat-file -e ":$1" 2>/dev/null || return 1
  git cat-file --filters ":$1" 2>/dev/null | head -c "$(stat -c %s -- "./$1")" | cmp -s - "./$1"
}

# Learns which of the files have changed since note_files: those that git has written or removed, and those that another
# program has changed meanwhile.
know_changed() {
  comm -23 "$own/leaving.$$" "$own/absent.$$" >"$own/there.$$"
  comm -23 "$own/old.$$" "$own/new.$$" | unlike | comm -12 - "$own/there.$$" >"$own/changed.$$"
  there <"$own/absent.$$" | sort -u - "$own/changed.$$" >"$own/all.$$"
  comm -13 "$own/old.$$" "$own/new.$$" >"$own/coming.$$"
  unlike <"$own/coming.$$" >"$own/unlike.$$"
  paths_of <"$own/coming.$$" | comm -23 - "$own/unlike.$$" >"$own/like.$$"
  there ! <"$own/all.$$" | sort -u - "$own/like.$$" | comm -12 - "$own/all.$$" >"$own/ours.$$"
  comm -23 "$own/all.$$" "$own/ours.$$" >"$own/rest.$$"
  : >"$own/others.$$"
  while IFS= read -r line; do
    name=$(printf '%s.' "$line" | tr '\001' '\n')
    if (is_part "${name%.}"); then to=ours; else to=others; fi
    printf '%s\n' "$line" >>"$own/$to.$$"
  done <"$own/rest.$$"
  sort -o "$own/ours.$$" -- "$own/ours.$$"
}

# Brings the files back that git has written or removed. Those that were there already are as they were in the index. A file
# that another program has changed meanwhile stays as it is, and is a failure if git has written others.
put_back() {
  # Nothing ends this but its kill.
  trap '' HUP INT TERM
  know_changed
  back=0
  [ ! -s "$own/others.$$" ] || [ ! -s "$own/ours.$$" ] || {
    back=1
    sed 's/^/Changed meanwhile by another program: /' "$own/others.$$" | cat - "$own/said.$$" >"$own/more.$$"
    mv -- "$own/more.$$" "$own/said.$$"
  }
  comm -12 "$own/ours.$$" "$own/absent.$$" >"$own/made.$$"
  unlisted <"$own/made.$$" | xargs -0 -r rm -f -- 2>/dev/null
  [ -z "$(there <"$own/made.$$")" ] || back=1
  sed -n 's|/[^/]*$||p' "$own/absent.$$" | sort -ur | unlisted | xargs -0 -r rmdir -p -- 2>/dev/null
  comm -12 "$own/ours.$$" "$own/there.$$" >"$own/lost.$$"
  # A folder with files of others stays.
  unlisted <"$own/lost.$$" | xargs -0 -r sh -c '
    for name; do [ -L "$name" ] || [ ! -d "$name" ] || rmdir -- "$name" || continue; printf "%s\0" "$name"; done' sh \
    2>/dev/null >"$own/back.$$"
  unlisted <"$own/lost.$$" | cmp -s - "$own/back.$$" || back=1
  umask 022
  GIT_INDEX_FILE="$own/before.$$"
  git checkout-index -f -q -z --stdin <"$own/back.$$" >/dev/null 2>&1 || {
    back=1
    # It ends at the first file that it cannot write. The others are written one by one.
    timeout -k 5 "$write_seconds" xargs -0 -r -n 1 git checkout-index -f -q -- <"$own/back.$$" >/dev/null 2>&1
  }
  umask 077
  return "$back"
}

# Ends an act whose files could not all be written, with the exit code $1: puts them back, or says where HEAD is.
give_back() {
  if put_back; then
    "$settle"
    # Git has written nothing, because a program was faster.
    [ ! -s "$own/others.$$" ] || exit "$in_the_way"
    [ -z "$late" ] || exit 53
    tell
    exit "$1"
  fi
  on=${target#refs/heads/}
  printf '%s\n' "${on:-$head}" >&2
  tell
  [ -z "$kept_as" ] || echo "What was there before is kept: $kept_as" >&2
  exit "$half"
}

# Applies $own/patch.$$, which takes files from the tree $1 to the tree $2, to the work tree. The further arguments are options of
# `git apply`.
apply_files() {
  GIT_INDEX_FILE="$own/from.$$" git read-tree "$1" 2>/dev/null || exit 21
  GIT_INDEX_FILE="$own/to.$$" git read-tree "$2" 2>/dev/null || exit 21
  note_files "$own/from.$$" "$own/to.$$"
  shift 2
  set -- --whitespace=nowarn "$@" "$own/patch.$$"
  git apply --check "$@" 2>/dev/null || exit 26
  refuse_unwritable
  in_the_way=26
  write apply "$@" || give_back 50
}
