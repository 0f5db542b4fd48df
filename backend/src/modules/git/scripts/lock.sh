# The lock of an index, which keeps every other git from writing it and the files. $index is the index, $top its work tree, and
# $GIT_INDEX_FILE our copy. What ends the script removes the lock if $locked is not empty.

# A lock of the index that is older was left by a program that was killed: these scripts hold it for less, in minutes.
LEFT_MINUTES=10

# Whether a git is in the work tree. Those of these scripts do not count: they lock no index.
is_git_here() {
  for process in /proc/[0-9]*; do
    [ "$(cat "$process/comm" 2>/dev/null)" = git ] || continue
    if place=$(readlink "$process/cwd" 2>/dev/null); then
      case $place/ in "$top"/*) ;; *) continue ;; esac
    else
      # It has ended, or belongs to another user.
      case $(cat "$process/stat" 2>/dev/null) in '' | *') Z '*) continue ;; *) return 0 ;; esac
    fi
    grep -qzx 'GIT_CONFIG_NOSYSTEM=1' "$process/environ" 2>/dev/null || return 0
  done
  return 1
}

# Locks the index. The error output has the path of a lock that was left.
lock_index() {
  if (set -C && : >"$index.lock") 2>"$own/said.$$"; then
    locked=1
    return
  fi
  if [ ! -e "$index.lock" ] && [ ! -L "$index.lock" ] && ! grep -q 'File exists\|existing file' "$own/said.$$"; then
    echo "$index.lock cannot be created." >&2
    exit 50
  fi
  [ -n "$(find "$index.lock" -prune -mmin "+$LEFT_MINUTES" 2>/dev/null)" ] && ! is_git_here || exit 31
  printf '%s\n' "$index.lock" >&2
  exit 52
}

# Writes the copy to the lock, which then has to be renamed alone.
ready_index() {
  git update-index --no-split-index 2>/dev/null
  cat -- "$GIT_INDEX_FILE" >"$index.lock"
}
rename_index() {
  mv -- "$index.lock" "$index" || exit 21
  locked=
}
