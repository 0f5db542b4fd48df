# What the scripts of worktrees have in common. The first argument of each is a folder of its own, which it makes and removes.
#
# Nothing of the repository runs: no hook, filter, merge driver, fsmonitor or remote. `real` changes its references and
# its list of worktrees. `own` reads and writes work trees, with a git folder of ours whose configuration is written here.
# Its objects are the repository's.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
umask 022
for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$name"; done
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_NO_REPLACE_OBJECTS=1
export GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=none GIT_ASKPASS=false
# By this `is_busy` knows the programs of these scripts.
export SLIPWAY_WORKTREE_SCRIPT=1
own=$1
shift
tidy() { rm -rf -- "$own"; }
trap tidy EXIT
trap 'exit 24' HUP INT TERM
newline='
'

real() {
  GIT_CONFIG_GLOBAL=/dev/null git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c gc.auto=0 \
    -c maintenance.auto=false -c credential.helper= "$@"
}
# The same for a repository by its git folder, from any place.
real_at() { (cd -- "$common" && real --git-dir="$common" "$@"); }
own() { GIT_DIR=$own/git GIT_WORK_TREE=$at GIT_CONFIG_GLOBAL=/dev/null git "$@"; }

# Makes our git folder for the repository $common. Its work tree is $at.
make_own() {
  format=$(real_at rev-parse --show-object-format) || exit 21
  case $format in sha1 | sha256) ;; *) exit 21 ;; esac
  mkdir -p -- "$own/git/objects" "$own/git/refs" "$own/git/info" || exit 21
  ignores=$(git config --type=path --get core.excludesFile)
  for file in "$ignores" "$common/info/exclude"; do
    if [ -f "$file" ]; then head -c 1048576 -- "$file" && echo; fi
  done >"$own/git/info/exclude"
  cat >"$own/git/config" <<CONFIG || exit 21
[core]
	repositoryFormatVersion = 1
	bare = false
	fsmonitor = false
	hooksPath = /dev/null
	untrackedCache = false
	protectNTFS = false
	protectHFS = false
	fsync = committed,loose-object
	fsyncMethod = batch
[extensions]
	objectFormat = $format
[checkout]
	workers = 0
[core]
CONFIG
  # Only how files are read and written. A value with other characters is none.
  real_at config --get-regexp '^core\.(autocrlf|eol|filemode|symlinks|ignorecase)$' |
    sed -n 's/^core\.\([a-z]*\) \([a-z]*\)$/\t\1 = \2/p' >>"$own/git/config"
  echo 'ref: refs/heads/none' >"$own/git/HEAD"
  export GIT_OBJECT_DIRECTORY="$common/objects"
  if [ -f "$common/shallow" ]; then export GIT_SHALLOW_FILE="$common/shallow"; fi
}

# Marks that the worktree is ready. It waits until the clock of the files has gone on: what is written from now on is newer.
mark_ready() {
  touch -- "$admin/slipway-ready" || exit 21
  until [ -n "$(find "$admin/slipway-clock" -newer "$admin/slipway-ready" 2>/dev/null)" ]; do
    touch -- "$admin/slipway-clock" || exit 21
  done
  rm -f -- "$admin/slipway-clock"
}

# Whether a process works in the folder $1: a terminal, a task, or what they started. These scripts do not count.
is_busy() {
  find /proc -maxdepth 2 -path '/proc/[0-9]*/cwd' -printf '%h %l\n' 2>/dev/null |
    while read -r process folder; do
      case ${process#/proc/} in 1 | "$$" | "$PPID") continue ;; esac
      case $folder/ in "$1"/*) ;; *) continue ;; esac
      if ! tr '\0' '\n' <"$process/environ" | grep -qx SLIPWAY_WORKTREE_SCRIPT=1; then echo busy && break; fi
    done 2>/dev/null | grep -q busy
}

# Leaves the unfinished work of git in the worktree's git folder $admin in $unfinished: a merge, a rebase and the like.
look_unfinished() {
  unfinished=
  for name in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply sequencer; do
    if [ -e "$admin/$name" ]; then unfinished=$name; fi
  done
}

# Copies the index of $admin to a file of ours, and chooses it. Paths that were told to look unchanged are looked at again.
copy_index() {
  export GIT_INDEX_FILE="$own/index"
  rm -f -- "$GIT_INDEX_FILE"
  if [ -f "$admin/index" ]; then
    # With its time, by which git knows the files that changed right after the index was written.
    cp -p -- "$admin/index" "$GIT_INDEX_FILE" || exit 21
    for part in "$admin"/sharedindex.*; do [ ! -f "$part" ] || cp -p -- "$part" "$own/git" || exit 21; done
  fi
  own ls-files -z -v | tr '\n\0' '\1\n' | sed -n 's/^[a-zS] //p' | tr '\n\1' '\0\n' >"$own/marked"
  if [ ! -s "$own/marked" ]; then return; fi
  for mark in --no-assume-unchanged --no-skip-worktree; do
    own update-index -z $mark --stdin <"$own/marked" 2>/dev/null || exit 21
  done
}

# Compares the work tree $at with the index and the commit $head. Leaves $state: clean, dirty or conflicted.
look() {
  copy_index
  look_unfinished
  own ls-files -z --unmerged >"$own/unmerged" || exit 21
  own ls-files -z --others --exclude-standard >"$own/others" 2>/dev/null || exit 21
  own ls-files -z --modified >"$own/modified" || exit 21
  state=dirty
  if [ -s "$own/unmerged" ]; then
    state=conflicted
  elif [ -z "$unfinished" ] && [ ! -s "$own/others" ] && [ ! -s "$own/modified" ]; then
    staged=$(own write-tree --missing-ok 2>/dev/null) || exit 21
    if [ "$staged" = "$(own rev-parse "$head^{tree}" 2>/dev/null)" ]; then state=clean; fi
  fi
}
