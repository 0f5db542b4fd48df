# Looks at worktrees. Arguments: the folder of our own; then the path of each, the git folder of its repository and the
# commit where it began. Prints its number from 0, its state, its commit and its size in KiB.
cd /
number=0
while [ $# -ge 3 ]; do
  at=$1 common=$2 base=$3
  shift 3
  (
    trap - EXIT
    admin=$common/worktrees/${at##*/}
    rm -rf -- "$own"
    if [ ! -d "$admin" ] || [ "$(cat "$at/.git" 2>/dev/null)" != "gitdir: $admin" ]; then
      echo "$number broken - 0"
      exit
    fi
    make_own
    cd -P -- "$at" || exit 21
    head=$(real --git-dir="$admin" rev-parse --verify --quiet 'HEAD^{commit}') || head=-
    look
    if [ "$state" = clean ] && [ "$head" != "$base" ]; then state=commits; fi
    cd / && if is_busy "$at"; then state=in_use; fi
    echo "$number $state $head $(du -sk -- "$at" | cut -f 1)"
  )
  number=$((number + 1))
done
