# Reads a repository. Modes, with their arguments behind those of paths.sh:
# - `status`: most bytes of the list, and `ignored` or nothing. Prints the branch, the commit, the branch that it follows, the
#   commits that it has more and less, the unfinished work, the name and the address of the remote, and the branch of the
#   remote that the work is for, each with a NUL behind it; then git's own list.
# - `diff`: `staged` or `unstaged`, most bytes of a part. Prints the tree before in a line, then what `compare` prints
# - `show`: a commit, most bytes of a part. Prints what `compare` prints
# - `refs`: most of them. Prints a line for each
# - `log`: a reference, or `--all`; how many to leave out, and how many to print
# - `stashes`: most bytes. Prints the log of the stashes
# - `staged`: most bytes, and `amended` or nothing: then with what the last commit changes. Prints the numbers of lines of each file,
#   a NUL, and the patch
# - `last`: most bytes. Prints the commit that is checked out and a NUL, `remote` or nothing and a NUL, and its message
# - `ready`: a branch, or nothing for the one that is checked out; `amended` or nothing. Prints the commit that is checked out, the name
#   and the address of who commits, the remote and the commit of the branch, the unfinished work, `remote` if a remote has what is to be
#   amended, and the time in seconds, each with a NUL behind it
# - `proposal`: most commits, most bytes of their texts. Prints the branch, the commit, the name and the address of the remote, the
#   branch of the remote that the work is for, how many commits that one lacks, and the commit of the branch on the remote; then
#   the subject and the rest of the message of those commits, oldest first. Each has a NUL behind it

unfinished_work() {
  for state in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply; do
    [ ! -e "$gitdir/$state" ] || { echo "$state" && return; }
  done
}

status() {
  branch=${target#refs/heads/} upstream= more= less= base=
  if [ -n "$target" ]; then
    upstream=$(real for-each-ref --format='%(upstream)' "$target")
    if [ -n "$upstream" ] && [ -n "$head" ]; then
      counts=$(real rev-list --left-right --count "HEAD...$upstream")
      more=${counts%%	*} less=${counts##*	}
    fi
  fi
  find_remote "$branch"
  [ -z "$remote" ] || find_base
  copy_index
  printf '%s\0' "$branch" "$head" "$upstream" "$more" "$less" "$(unfinished_work)" "$remote" "$url" "$base"
  # Dirty submodules are left out: git would start itself there, with their configuration.
  git status --porcelain=v2 -z --untracked-files=all --find-renames --ignore-submodules=dirty \
    ${2:+--ignored=matching} >"$own/status.$$" 2>/dev/null || exit 21
  head -c "$1" "$own/status.$$"
}

list_refs() {
  real for-each-ref --count="$1" --sort=-committerdate \
    --format='%(refname)%00%(objectname)%00%(*objectname)%00%(upstream)%00%(committerdate:unix)%00%(worktreepath)%00%(symref)%00%(contents:subject)' \
    refs/heads refs/remotes refs/tags
}

log() {
  if [ "$1" = --all ]; then
    real for-each-ref --count=5000 --format='%(objectname)' refs/heads refs/remotes refs/tags
    [ -z "$head" ] || echo "$head"
  else
    real rev-parse -q --verify "$1^{commit}"
  fi >"$own/starts.$$"
  [ -s "$own/starts.$$" ] || exit 0
  git log --stdin --ignore-missing --date-order -z --skip="$2" --max-count="$3" --no-show-signature --no-color \
    --format='%H%x00%P%x00%<(100,trunc)%an%x00%<(200,trunc)%ae%x00%ct%x00%<(300,trunc)%s' \
    <"$own/starts.$$" 2>/dev/null || exit 21
}

staged() {
  copy_index
  tree=$(git write-tree --missing-ok 2>/dev/null) || exit 30
  base=$(git rev-parse "$(tree_of_head)")
  if [ -n "$2" ]; then base=$(git rev-parse -q --verify "$head^1^{tree}" 2>/dev/null) || base=$(git hash-object -t tree /dev/null); fi
  [ "$base" != "$tree" ] || exit 37
  between --stat=120 --stat-count=200 --find-renames "$base" "$tree" 2>/dev/null | head -c "$1"
  printf '\0'
  between --patch --find-renames "$base" "$tree" 2>/dev/null | head -c "$1"
}

last() {
  [ -n "$head" ] || exit 42
  git log -1 --no-show-signature --no-color --format=%B "$head" >"$own/message.$$" 2>/dev/null || exit 21
  # A part of a message must not take the place of all of it.
  [ "$(wc -c <"$own/message.$$")" -le "$1" ] || exit 45
  printf '%s\0%s\0' "$head" "$(! is_at_remote || echo remote)"
  cat "$own/message.$$"
}

ready() {
  branch=${1:-${target#refs/heads/}} at=
  find_remote "$branch"
  [ -z "$branch" ] || at=$(real rev-parse -q --verify "refs/heads/$branch")
  printf '%s\0' "$head" "$name" "$address" "$remote" "$at" "$(unfinished_work)" \
    "$([ -z "$2" ] || ! is_at_remote || echo remote)" "$(date +%s)"
}

proposal() {
  branch=${target#refs/heads/} base= ahead= pushed=
  find_remote "$branch"
  if [ -n "$remote" ]; then
    find_base
    find_standing "$branch"
  fi
  printf '%s\0' "$branch" "$head" "$remote" "$url" "$base" "$ahead" "$pushed"
  [ -n "$base" ] && [ -n "$head" ] || return 0
  from=$(real rev-parse -q --verify "refs/remotes/$remote/$base^{commit}") || return 0
  git log -z --reverse --max-count="$1" --no-show-signature --no-color --format='%<(300,trunc)%s%x00%b' "$from..$head" 2>/dev/null |
    head -c "$2"
}

case $mode in
status) status "$@" ;;
diff)
  part_max=$2
  read_asked
  copy_index
  trees_of_side "$1"
  echo "$base"
  compare
  ;;
show)
  part_max=$2
  tree=$(git rev-parse -q --verify "$1^{tree}" 2>/dev/null) || exit 42
  base=$(git rev-parse -q --verify "$1^1^{tree}" 2>/dev/null) || base=$(git hash-object -t tree /dev/null)
  compare
  ;;
refs) list_refs "$@" ;;
log) log "$@" ;;
staged) staged "$@" ;;
last) last "$@" ;;
ready) ready "$@" ;;
proposal) proposal "$@" ;;
stashes) [ ! -f "$common/logs/refs/stash" ] || tail -c "$1" -- "$common/logs/refs/stash" ;;
esac
