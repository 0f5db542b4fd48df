# Brings the commits of a worktree into a branch. Arguments: the folder of our own, the worktree's path, the git folder of
# its repository, the commit where it began, how long git may write files, in seconds, the branch, `merge`, `rebase` or
# `cherry_pick`, the commits to pick separated by blanks or nothing for all, then the folders of the tasks at work. Prints
# `taken` and the branch's new commit, or a line `conflicts` and the files in conflict, each with a NUL behind it. With
# conflicts nothing is changed.
at=$1 common=$2 base=$3 write_seconds=$4 branch=$5 how=$6 picked=$7
shift 7
cd /
locked=
leave() {
  [ -z "$locked" ] || rm -f -- "$index.lock"
  tidy
}
trap leave EXIT
admin=$common/worktrees/${at##*/}
if [ ! -d "$admin" ] || [ "$(cat "$at/.git" 2>/dev/null)" != "gitdir: $admin" ]; then exit 39; fi
make_own
cd -P -- "$at" || exit 21
head=$(real --git-dir="$admin" rev-parse --verify --quiet 'HEAD^{commit}') || exit 41
look
if [ "$state" = conflicted ] || [ -n "$unfinished" ] || [ -s "$own/others" ] || [ -s "$own/modified" ]; then exit 40; fi
if [ "$(own write-tree)" != "$(own rev-parse "$head^{tree}")" ]; then exit 40; fi
tip=$(real_at rev-parse --verify --quiet "$branch^{commit}") || exit 42

# What the user is called in commits of this repository.
named() { (cd -- "$at" && git config "user.$1") 2>/dev/null | tr -d '<>\n'; }
name=$(named name) email=$(named email)
who="${name:-Slipway} <${email:-slipway@localhost}> $(date +%s) +0000"

# Merges two commits, and leaves the tree in $tree. Conflicts end the script.
merge_trees() {
  own merge-tree --write-tree -z --name-only --no-messages "$1" "$2" >"$own/merged" 2>/dev/null
  case $? in
  0) tree=$(tr -d '\0' <"$own/merged") ;;
  1)
    echo conflicts
    tr '\n\0' '\1\n' <"$own/merged" | tail -n +2 | tr '\n\1' '\0\n'
    exit 0
    ;;
  *) exit 21 ;;
  esac
}
store() { own hash-object -t commit -w --stdin || exit 21; }
# Applies the commit $1 to $new, and leaves the result there. A commit that changes nothing there is left out.
pick() {
  parent=$(own rev-parse --verify --quiet "$1^") || exit 42
  before=$(own rev-parse "$new^{tree}") || exit 21
  # The merge then has the parent of the commit as its base.
  printf 'tree %s\nparent %s\nauthor %s\ncommitter %s\n\n\n' "$before" "$parent" "$who" "$who" | store >"$own/onto" || exit 21
  read -r onto <"$own/onto"
  merge_trees "$onto" "$1"
  if [ "$tree" = "$before" ]; then return; fi
  own cat-file commit "$1" >"$own/picked" || exit 21
  {
    printf 'tree %s\nparent %s\n' "$tree" "$new"
    sed -n '/^$/q; /^author /p' "$own/picked"
    echo "committer $who"
    sed -n '/^$/q; /^encoding /p' "$own/picked"
    sed -n '/^$/,$p' "$own/picked"
  } | store >"$own/new" || exit 21
  read -r new <"$own/new"
}

new=$tip
if [ "$how" = merge ]; then
  if own merge-base --is-ancestor "$head" "$tip"; then exit 41; fi
  if own merge-base --is-ancestor "$tip" "$head"; then
    new=$head
  else
    merge_trees "$tip" "$head"
    printf 'tree %s\nparent %s\nparent %s\nauthor %s\ncommitter %s\n\nMerge the worktree %s\n' \
      "$tree" "$tip" "$head" "$who" "$who" "${at##*/}" | store >"$own/new" || exit 21
    read -r new <"$own/new"
  fi
else
  if [ -z "$picked" ]; then picked=$(own rev-list --reverse --no-merges "$head" "^$tip" "^$base") || exit 21; fi
  for commit in $picked; do
    own merge-base --is-ancestor "$commit" "$head" 2>/dev/null || exit 42
    pick "$commit"
  done
  if [ "$new" = "$tip" ]; then exit 41; fi
fi

# Where the branch is checked out, its files and its index come along, or nothing does.
unset GIT_INDEX_FILE
place=$(unset GIT_OBJECT_DIRECTORY && real_at worktree list --porcelain |
  awk -v branch="branch $branch" '/^worktree / { path = substr($0, 10) } $0 == branch { print path; exit }')
bring() {
  top=$place index=$admin/index target=$branch
  cd -P -- "$top" || exit 21
  export GIT_DIR="$own/git" GIT_WORK_TREE="$top" GIT_CONFIG_GLOBAL=/dev/null GIT_INDEX_FILE="$own/index"
  lock_index
  rm -f -- "$GIT_INDEX_FILE"
  [ ! -f "$index" ] || cp -p -- "$index" "$GIT_INDEX_FILE" || exit 21
  for part in "$admin"/sharedindex.*; do [ ! -f "$part" ] || cp -p -- "$part" "$own/git" || exit 21; done
  git update-index -q --refresh >/dev/null 2>&1
  check_files "$tip" "$new"
  write read-tree -m -u "$tip" "$new" && ready_index 2>"$own/said.$$" || give_back 50
}
if [ -n "$place" ]; then
  for folder; do
    case $(cd -P -- "$folder" 2>/dev/null && pwd -P)/ in "$place"/*) exit 35 ;; esac
  done
  admin=$(unset GIT_OBJECT_DIRECTORY && cd -P -- "$place" && real rev-parse --absolute-git-dir) || exit 21
  look_unfinished
  if [ -n "$unfinished" ]; then exit 43; fi
  bring
fi
# What writes files of the work tree leaves another one.
umask 022
if ! (unset GIT_OBJECT_DIRECTORY && real_at update-ref -m "worktree ${at##*/}" "$branch" "$new" "$tip") 2>/dev/null; then
  if [ -n "$place" ]; then give_back 44; fi
  exit 44
fi
if [ -n "$place" ]; then rename_index; fi
echo "taken $new"
