# The repository of a work tree: its references and what it says of its remotes, for the scripts behind work-tree.sh and this one.

# The exit code for a file that a filter stores differently.
filtered=32

# Learns where the git folder is and who commits. Call it behind `find_repository`, before `use_own`.
know_repository() {
  gitdir=$(git rev-parse --absolute-git-dir 2>/dev/null) || exit 21
  name=$(git config --get user.name) address=$(git config --get user.email)
}

# Learns the branch that is checked out, and its commit. Call it behind `use_own`.
know_head() {
  [ "$format" = sha256 ] && none=$(printf '%064d' 0) || none=$(printf '%040d' 0)
  target=$(real symbolic-ref -q HEAD)
  head=$(real rev-parse -q --verify 'HEAD^{commit}')
}

# Runs git on the repository itself, with its configuration but without what that would run.
real() {
  (
    unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_CONFIG_COUNT
    export GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1
    git --git-dir="$gitdir" -c core.hooksPath=/dev/null -c core.fsmonitor=false -c log.showSignature=false \
      -c gc.auto=0 -c maintenance.auto=false "$@" 2>/dev/null
  )
}

# The remote of a branch: its own, else `origin`, else the only one.
find_remote() {
  remote=$(real config --get "branch.$1.remote")
  case $remote in '' | . | -*) remote=origin ;; esac
  url=$(real config --get "remote.$remote.url") || {
    remote=$(real config --get-regexp '^remote\..*\.url$' | sed -n 's/^remote\.\(.*\)\.url .*/\1/p' | sort -u)
    case $remote in '' | *"$newline"* | -*) remote= url= && return ;; esac
    url=$(real config --get "remote.$remote.url")
  }
}

# The branch of the remote that the work is for: the one that it names, else a usual one. Nothing in $base: unknown.
find_base() {
  base=$(real symbolic-ref -q --short "refs/remotes/$remote/HEAD")
  base=${base#"$remote/"}
  for usual in main master; do
    [ -n "$base" ] || ! real rev-parse -q --verify "refs/remotes/$remote/$usual" >/dev/null || base=$usual
  done
}

# How the commit that is checked out stands to the remote: how many commits $base lacks, and where the branch $1 is there.
find_standing() {
  [ -z "$base" ] || ahead=$(real rev-list --count --max-count=1000 "refs/remotes/$remote/$base..HEAD")
  [ -z "$1" ] || pushed=$(real rev-parse -q --verify "refs/remotes/$remote/$1")
}

# Whether a branch of a remote has the commit that is checked out, as far as the repository knows.
is_at_remote() { [ -n "$(real for-each-ref --count=1 --format=x --contains "$head" refs/remotes)" ]; }

# What the work tree is compared with: the tree of the commit, or the empty one.
tree_of_head() {
  if [ -n "$head" ]; then echo "$head^{tree}"; else git hash-object -t tree /dev/null; fi
}

# Whether git is in the middle of something that a commit would end.
refuse_unfinished() {
  for state in MERGE_HEAD CHERRY_PICK_HEAD REVERT_HEAD BISECT_LOG rebase-merge rebase-apply; do
    [ ! -e "$gitdir/$state" ] || exit 30
  done
}

# Refuses if a filter stores one of the files that $own/paths.$$ names differently, such as Git LFS: its content would be taken
# as it is.
refuse_filtered_paths() {
  git check-attr -z --stdin filter <"$own/paths.$$" 2>/dev/null >"$own/attributes.$$" || exit 21
  # Path, attribute and value by turns.
  tr '\n\000' ' \n' <"$own/attributes.$$" | awk 'NR % 3 == 0 && $0 != "unspecified" && $0 != "unset" { exit 1 }' || exit "$filtered"
}

# The same for what $tree has instead of the commit that is checked out.
refuse_filtered() {
  git diff-tree -r -z --name-only --diff-filter=d "$(tree_of_head)" "$tree" >"$own/paths.$$" 2>/dev/null || exit 21
  refuse_filtered_paths
}
