# Changes a repository. Modes, with their arguments behind those of paths.sh:
# - `stage`, `unstage`, `discard`: the number of a hunk and the two trees between which the user saw it, or 0 and nothing for the
#   whole files. A discard prints the reference that keeps what it discarded
# - `undo`: such a reference
# - `commit`: the name and the address of the user, for a repository that names none; the commit whose place it takes, or nothing.
#   The message comes from the input. Prints the commit
# - `branch`: its name, where it begins, `switch` or nothing, the remote branch that it follows or nothing
# - `switch`: a branch
# - `forward`: nothing. The branch moves to the commit of the branch that it follows, if it has no other commits
# - `stash-push`: `untracked` or nothing. The message comes from the input; it may be empty. Prints the commit of the stash
# - `stash-apply`, `stash-drop`: the number of the stash, and its commit. Print the files in conflict, and the reference that
#   keeps what was dropped
# - `unlock`: a time in seconds. Removes a lock of the index that is not older, if no git that could hold it is in the work tree
# The first of these arguments is how long git may write files, in seconds.
# Nothing of the repository runs: no hook, filter, merge driver, alias or helper. Exit codes: see program.ts.

# Most discards that are kept.
KEPT=50

# Locks the index, and copies it.
lock() {
  lock_index
  copy_index
}
install_index() {
  ready_index || exit 21
  rename_index
}

# A repository in the work tree has objects of its own, so it is neither staged nor discarded.
refuse_repositories() {
  ! tr '\n\000' ' \n' <"$own/asked.$$" | grep -q '/$' || exit 25
  [ -z "$(on_asked ls-files -z --stage | tr '\n\000' ' \n' | grep '^160000 ')" ] || exit 25
}

# Leaves a hunk of the named file in $own/patch.$$, if the user saw it between these trees.
take_hunk() {
  [ "$base $tree" = "$2 $3" ] || exit 26
  set -- "$1" --patch --find-renames "$base" "$tree"
  hunk=$1
  shift
  [ "$(between "$@" 2>/dev/null | tr -cd '\000' | wc -c)" -eq 0 ] || exit 25
  between "$@" 2>/dev/null | hunk_of "$hunk" >"$own/patch.$$"
  [ -s "$own/patch.$$" ] || exit 26
}

stage() {
  refuse_repositories
  cp -- "$own/asked.$$" "$own/paths.$$"
  refuse_filtered_paths
  if [ "$1" = 0 ]; then
    refuse_large
    update_asked
  else
    trees_of_side unstaged
    take_hunk "$@"
    apply --cached
  fi
  install_index
}

unstage() {
  if [ "$1" = 0 ]; then
    if [ -n "$head" ]; then on_asked ls-tree -r -z --full-tree "$head"; fi >"$own/entries.$$"
    update --force-remove <"$own/asked.$$"
    git update-index -z --index-info <"$own/entries.$$" 2>/dev/null || exit 21
  else
    trees_of_side staged
    take_hunk "$@"
    apply --cached -R
  fi
  install_index
}

# Keeps the commit $1 below refs/slipway/discarded, and leaves the reference in $ref. The oldest ones go, never this one: others may
# be of the same second, or have a later date.
keep() {
  ref=refs/slipway/discarded/$2-$(date +%s)-$(printf %.12s "$1")
  real update-ref "$ref" "$1" || exit 21
  real for-each-ref --sort=-creatordate --format='delete %(refname)' refs/slipway/discarded |
    grep -vxF "delete $ref" | tail -n "+$KEPT" | real update-ref --stdin
}

discard() {
  refuse_repositories
  [ -z "$(on_asked ls-files -z --unmerged | head -c 1)" ] || exit 30
  cp -- "$own/asked.$$" "$own/paths.$$"
  refuse_filtered_paths
  trees_of_side unstaged
  [ "$base" != "$tree" ] || exit 26
  before=$tree after=$base
  if [ "$1" = 0 ]; then
    between --patch --binary --no-renames "$after" "$before" >"$own/patch.$$" 2>/dev/null || exit 21
  else
    take_hunk "$@"
    after=$(GIT_INDEX_FILE="$own/small.$$" && export GIT_INDEX_FILE && apply --cached -R && git write-tree --missing-ok) || exit 26
  fi
  commit=$(git commit-tree "$after" -m 'What was there after the discard') || exit 21
  commit=$(git commit-tree "$before" -p "$commit" -m 'What was discarded') || exit 21
  keep "$commit" files
  kept_as=$ref
  apply_files "$before" "$after" -R
  echo "$ref"
}

undo() {
  commit=$(real rev-parse -q --verify "$1^{commit}") || exit 42
  case $1 in
  */stash-*)
    real update-ref --create-reflog -m "$(git log -1 --format=%s "$commit")" refs/stash "$commit" || exit 21
    return
    ;;
  esac
  before=$(git rev-parse -q --verify "$commit^{tree}") && after=$(git rev-parse -q --verify "$commit^1^{tree}") || exit 42
  between -z --name-only --no-renames "$before" "$after" >"$own/asked.$$" 2>/dev/null || exit 21
  tree_in files
  on_asked diff-tree --quiet -r "$after" "$tree" || exit 26
  between --patch --binary --no-renames "$after" "$before" >"$own/patch.$$" 2>/dev/null || exit 21
  apply_files "$after" "$before"
}

commit() {
  for state in CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply; do [ ! -e "$gitdir/$state" ] || exit 30; done
  [ -z "$(git ls-files --unmerged 2>/dev/null | head -c 1)" ] || exit 30
  tree=$(git write-tree --missing-ok 2>/dev/null) || exit 21
  merged=
  if [ -f "$gitdir/MERGE_HEAD" ]; then
    merged=$(head -c 4096 -- "$gitdir/MERGE_HEAD" | sed -n 's/^\([0-9a-f]\{40,64\}\)$/-p \1/p')
  fi
  if [ -z "$merged" ] && [ "$(git rev-parse "$(tree_of_head)")" = "$tree" ]; then exit 37; fi
  commit=$(git commit-tree "$tree" ${head:+-p "$head"} $merged <"$own/message.$$" 2>/dev/null) || exit 21
  real update-ref -m 'commit: by Slipway' HEAD "$commit" "${head:-$none}" || exit 26
  if [ -n "$merged" ]; then rm -f -- "$gitdir/MERGE_HEAD" "$gitdir/MERGE_MSG" "$gitdir/MERGE_MODE"; fi
  echo "$commit"
}

# Makes the commit that is checked out anew, if it is $1 and no remote has it: with what is staged and the message. Its author stays.
amend() {
  [ "$head" = "$1" ] || exit 26
  refuse_unfinished
  [ -z "$(git ls-files --unmerged 2>/dev/null | head -c 1)" ] || exit 30
  ! is_at_remote || exit 44
  tree=$(git write-tree --missing-ok 2>/dev/null) || exit 21
  parents=$(git rev-parse "$head^@" 2>/dev/null | sed 's/^/-p /')
  author=$(git log -1 --no-show-signature --format=%an "$head") address=$(git log -1 --no-show-signature --format=%ae "$head")
  export GIT_AUTHOR_NAME="${author:-$GIT_AUTHOR_NAME}" GIT_AUTHOR_EMAIL="${address:-$GIT_AUTHOR_EMAIL}"
  export GIT_AUTHOR_DATE="@$(git log -1 --no-show-signature --date=raw --format=%ad "$head")"
  commit=$(git commit-tree "$tree" $parents <"$own/message.$$" 2>/dev/null) || exit 21
  real update-ref -m 'commit (amend): by Slipway' HEAD "$commit" "$head" || exit 26
  echo "$commit"
}

# Takes the work tree and the index from the commit that is checked out to the commit $1, and HEAD by the rest of the arguments. Leaves
# all as it is if not all of that can be done. $2: the exit code if HEAD cannot be moved.
move_files() {
  tree=$(git rev-parse -q --verify "$1^{tree}" 2>/dev/null) || exit 42
  unmoved=$2
  shift 2
  lock
  refuse_filtered
  git update-index -q --refresh >/dev/null 2>&1
  check_files "$(tree_of_head)" "$tree"
  write read-tree -m -u "$(tree_of_head)" "$tree" && ready_index 2>"$own/said.$$" || give_back 50
  "$@" || give_back "$unmoved"
  rename_index
}

# Checks out the commit $1 of the branch $2, or leaves everything as it is.
check_out() {
  refuse_unfinished
  place=$(real for-each-ref --format='%(worktreepath)' "refs/heads/$2")
  case $place in '' | "$top") ;; *) exit 34 ;; esac
  set -- "$1" 21 real symbolic-ref -m "checkout: moving from ${target#refs/heads/} to $2" HEAD "refs/heads/$2"
  if [ "$1" != "$head" ]; then
    move_files "$@"
  else
    shift 2
    "$@" || exit 21
  fi
}

branch() {
  start=$(real rev-parse -q --verify "${2:-HEAD}^{commit}") || exit 42
  ! real rev-parse -q --verify "refs/heads/$1" >/dev/null || exit 33
  real update-ref -m "branch: Created from ${2:-HEAD}" "refs/heads/$1" "$start" "$none" || exit 33
  # A branch that cannot be checked out goes again.
  made_branch=$1
  [ -z "$3" ] || { check_out "$start" "$1" && made_branch=; }
  case $4 in
  */*)
    real config "branch.$1.remote" "${4%%/*}"
    real config "branch.$1.merge" "refs/heads/${4#*/}"
    ;;
  esac
}

forward() {
  refuse_unfinished
  [ -n "$target" ] || exit 39
  upstream=$(real for-each-ref --format='%(upstream)' "$target")
  [ -n "$upstream" ] || exit 39
  new=$(real rev-parse -q --verify "$upstream^{commit}") || exit 42
  [ "$new" != "$head" ] || return 0
  # It has all that the other one has.
  ! git merge-base --is-ancestor "$new" "$head" 2>/dev/null || return 0
  git merge-base --is-ancestor "$head" "$new" 2>/dev/null || exit 40
  move_files "$new" 26 real update-ref -m 'pull: Fast-forward' HEAD "$new" "$head"
}

# For a git that was killed: it could not remove its lock.
unlock() {
  [ -n "$1" ] && [ -f "$index.lock" ] && [ ! -L "$index.lock" ] && [ "$(stat -c %Y -- "$index.lock")" -ge "$1" ] || return 0
  is_git_here || rm -f -- "$index.lock"
}

export GIT_AUTHOR_NAME="$author_name" GIT_AUTHOR_EMAIL="$author_address"
export GIT_COMMITTER_NAME="$author_name" GIT_COMMITTER_EMAIL="$author_address"
use_objects
write_seconds=$1
shift
# For these acts no filter can be let run.
case $mode in discard | stash-*) filtered=48 ;; esac
case $mode in
stage | unstage)
  read_asked
  lock
  "$mode" "$@"
  ;;
discard)
  read_asked
  copy_index
  discard "$@"
  ;;
undo)
  copy_index
  undo "$1"
  ;;
commit)
  cat >"$own/message.$$" || exit 21
  export GIT_AUTHOR_NAME="${name:-$1}" GIT_AUTHOR_EMAIL="${address:-$2}"
  export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
  lock
  if [ -n "$3" ]; then amend "$3"; else commit; fi
  ;;
branch) branch "$@" ;;
switch)
  start=$(real rev-parse -q --verify "refs/heads/$1^{commit}") || exit 42
  check_out "$start" "$1"
  ;;
forward) forward ;;
stash-push)
  cat >"$own/message.$$" || exit 21
  stash_push "$@"
  ;;
stash-apply) stash_apply "$@" ;;
stash-drop) stash_drop "$@" ;;
unlock) unlock "$1" ;;
esac
