# Puts the work tree of a task on a branch, and the branch on a remote. Arguments: the mode, a folder of its own that does not
# exist yet, the home, the folder of the task, bytes of the changed paths, bytes of the changed files, and
# - `look`: prints what there is, each part with a NUL behind it
# - `commit`: the branch, the name and the address of the user, for a repository that names none, and the folders of the
#   tasks that are at work. The message comes from the input. Prints the commit.
# - `push`: the branch, and the commit that it must be
# Nothing of the repository runs: no hook, no filter, no alias, no helper. Exit codes: see program.ts.

look() {
  branch=${target#refs/heads/} base= ahead= pushed=
  find_remote "$branch"
  if [ -n "$remote" ]; then
    find_base
    find_standing "$branch"
  fi
  git diff-tree -r -z --name-only "$(tree_of_head)" "$tree" >"$own/paths.$$" 2>/dev/null || exit 21
  files=$(tr -cd '\000' <"$own/paths.$$" | wc -c)
  printf '%s\0' "$branch" "$head" "$remote" "$url" "$base" "$ahead" "$pushed" "$files"
}

commit() {
  [ -z "$(git ls-files --unmerged 2>/dev/null | head -c 1)" ] || exit 30
  refuse_filtered
  if [ "$(git rev-parse "$(tree_of_head)")" != "$tree" ]; then
    commit=$(git commit-tree "$tree" ${head:+-p "$head"} 2>/dev/null) || exit 21
  else
    commit=$head
    [ -n "$commit" ] || exit 37
  fi
  message="commit: by Slipway"
  if [ "$target" = "refs/heads/$branch" ]; then
    [ "$commit" = "$head" ] || real update-ref -m "$message" HEAD "$commit" "${head:-$none}" || exit 26
  else
    # It must be new: a branch with other commits is not moved.
    real update-ref -m "$message" "refs/heads/$branch" "$commit" "$none" || exit 33
    real symbolic-ref -m "$message" HEAD "refs/heads/$branch" || exit 21
  fi
  git update-index --no-split-index 2>/dev/null
  cat -- "$GIT_INDEX_FILE" >"$index.lock" && mv -- "$index.lock" "$index" || exit 21
  locked=
  echo "$commit"
}

push() {
  find_remote "$branch"
  case $url in
  https://* | file://* | ssh://* | /* | [!-]*@*:*) ;;
  *) exit 34 ;;
  esac
  set -- -c protocol.allow=never
  for protocol in https file ssh; do set -- "$@" -c "protocol.$protocol.allow=always"; done
  GIT_SSH_COMMAND='ssh -oBatchMode=yes' git "$@" push --no-verify --porcelain --no-signed \
    --recurse-submodules=no -- "$url" "$commit:refs/heads/$branch" >"$own/said.$$" 2>"$own/failed.$$" || {
    ! grep -q '^!.*\[rejected\]' "$own/said.$$" || exit 36
    grep '^!' "$own/said.$$" | head -c 2000 >&2
    head -c 2000 "$own/failed.$$" >&2
    exit 35
  }
  real update-ref "refs/remotes/$remote/$branch" "$commit"
  real config "branch.$branch.remote" "$remote"
  real config "branch.$branch.merge" "refs/heads/$branch"
}

home=$(cd -P -- "$3" && pwd -P) || exit 21
cd -P -- "$4" 2>/dev/null || exit 20
paths_max=$5 bytes_max=$6
shift 6
tidy_all() {
  [ -z "$locked" ] || rm -f -- "$index.lock"
  rm -rf -- "$own"
}
locked=
trap tidy_all EXIT
# Git's configuration by the environment is for the push alone.
count=${GIT_CONFIG_COUNT-}
unset GIT_CONFIG_COUNT
find_repository 2>/dev/null
know_repository
use_own
know_head
case $mode in
look)
  store
  look
  ;;
commit)
  branch=$1
  export GIT_OBJECT_DIRECTORY="$common/objects" GIT_AUTHOR_NAME="${name:-$2}" GIT_AUTHOR_EMAIL="${address:-$3}"
  export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
  shift 3
  refuse_active "$@"
  refuse_unfinished
  lock_index
  store
  commit
  ;;
push)
  branch=$1 commit=$2
  [ "$(real rev-parse -q --verify "refs/heads/$branch")" = "$commit" ] || exit 26
  [ -z "$count" ] || export GIT_CONFIG_COUNT="$count"
  push
  ;;
esac
