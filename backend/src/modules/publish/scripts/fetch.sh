# Fetches from the remote of the branch that is checked out, with a git folder of ours, and moves the references of the repository.
# Behind paths.sh. Nothing of the repository runs, and nothing of its configuration counts but the name, the address and the
# references of the remote.

# A reference of the remote, or all of them, and where it goes.
simple='+\{0,1\}refs/heads/[A-Za-z0-9._/*-]*:refs/remotes/[A-Za-z0-9._/*-]*'

references() { "$1" for-each-ref --format='%(objectname) %(refname)' "refs/remotes/$remote" refs/tags 2>/dev/null; }

branch=${target#refs/heads/}
find_remote "$branch"
case $url in
https://* | file://* | ssh://* | /* | [!-]*@*:*) ;;
*) exit 34 ;;
esac
case $remote in *[!A-Za-z0-9._-]* | .*) exit 34 ;; esac
references real >"$own/before.$$"
# Git says to the remote what is here, so that only the rest comes.
real for-each-ref --format='%(objectname) %(refname)' >"$own/packed-refs" || exit 21
use_objects
[ -z "$count" ] || export GIT_CONFIG_COUNT="$count"
set -- -c protocol.allow=never
for protocol in https file ssh; do set -- "$@" -c "protocol.$protocol.allow=always"; done
set -- "$@" -c gc.auto=0 -c maintenance.auto=false fetch --prune --no-recurse-submodules --no-write-fetch-head --no-auto-gc -- "$url"
wanted=$(real config --get-all "remote.$remote.fetch" | grep -x "$simple" | grep ":refs/remotes/$remote/" | head -n 20)
set -f
for reference in ${wanted:-"+refs/heads/*:refs/remotes/$remote/*"}; do set -- "$@" "$reference"; done
set +f
GIT_SSH_COMMAND='ssh -oBatchMode=yes' git "$@" >/dev/null 2>"$own/failed.$$" || {
  head -c 2000 "$own/failed.$$" >&2
  exit 35
}
unset GIT_CONFIG_COUNT
references git >"$own/after.$$"
{
  # What is new or has moved; a tag that is here stays as it is. Then what the remote has no more.
  awk -v tags=refs/tags/ '
    NR == FNR { before[$2] = $1; next }
    !($2 in before) { print "create " $2 " " $1; next }
    before[$2] != $1 && index($2, tags) != 1 { print "update " $2 " " $1 " " before[$2] }
  ' "$own/before.$$" "$own/after.$$"
  awk -v tags=refs/tags/ '
    NR == FNR { after[$2] = 1; next }
    !($2 in after) && index($2, tags) != 1 { print "delete " $2 " " $1 }
  ' "$own/after.$$" "$own/before.$$"
} >"$own/moves.$$"
# `origin/HEAD` is symbolic, and follows.
grep -v " refs/remotes/$remote/HEAD " "$own/moves.$$" | real update-ref --no-deref -m "fetch: by Slipway" --stdin || exit 26
