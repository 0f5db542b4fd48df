# Ends a worktree. Arguments: the folder of our own, the worktree's path, the git folder of its repository, the commit
# where it began, `keep`, `if-clean` or `always`, most bytes of changed ignored files. It prints one word of what became of it:
# `kept` and its state, or `removed`; and `salvage` with the reference.
#
# Each step can be interrupted and done again. `.removing-` before its name: its state was saved, and it is compared with
# what was saved. `.removed-`: everything is saved, and it is being deleted.
at=$1 common=$2 base=$3 wish=$4 ignored_max=$5
cd /
tree=$at tree_name=${at##*/} root=${at%/*}
# While it is made, only its path is known.
if [ -z "$common" ]; then
  common=$(sed -n '1s/^gitdir: //p' "$at/.git" 2>/dev/null)
  common=${common%/worktrees/*}
fi
removing=$root/.removing-$tree_name removed=$root/.removed-$tree_name
admin=$common/worktrees/$tree_name

forget() {
  if [ -e "$removed" ]; then
    chmod -R u+rwX -- "$removed" 2>/dev/null
    rm -rf -- "$removed" || exit 21
  fi
  if [ -d "$admin" ]; then (unset GIT_OBJECT_DIRECTORY && real_at worktree remove --force --force "$tree") >/dev/null 2>&1 || exit 21; fi
}
unlock() { (unset GIT_OBJECT_DIRECTORY && real_at worktree unlock "$tree") >/dev/null 2>&1; }
keep() {
  unlock
  echo "kept $1"
  exit 0
}
# What could not be saved stays where it was.
back() {
  failed=$?
  if [ "$failed" != 0 ]; then
    if [ -e "$removing" ] && [ ! -e "$tree" ]; then mv -- "$removing" "$tree"; fi
    [ "$failed" = 35 ] || unlock
  fi
  tidy
}
trap back EXIT

if [ -e "$removed" ]; then
  forget
  echo removed
  exit 0
fi
if [ -e "$removing" ] && [ ! -e "$tree" ]; then mv -- "$removing" "$tree" || exit 21; fi
if [ ! -e "$tree" ] && [ ! -d "$admin" ]; then
  echo removed
  exit 0
fi
# Without its repository it is a folder like any other.
if [ ! -d "$admin" ] || [ "$(cat "$admin/gitdir" 2>/dev/null)" != "$tree/.git" ]; then exit 39; fi
make_own
# While its folder has another name, nothing else may remove it.
(unset GIT_OBJECT_DIRECTORY && real_at worktree lock --reason 'Slipway removes it' "$tree") >/dev/null 2>&1
# A branch without a commit has none of its own.
head=$(real --git-dir="$admin" rev-parse --verify --quiet 'HEAD^{commit}') || head=$base
base_tree=$(own rev-parse "$head^{tree}" 2>/dev/null) || exit 21

# A user deleted its files. Its commits are still there.
if [ ! -e "$tree" ]; then
  staged=$base_tree saved=$base_tree
  salvage
  forget
  echo removed
  exit 0
fi
[ "$(cat "$tree/.git" 2>/dev/null)" = "gitdir: $admin" ] || exit 39
if is_busy "$tree"; then exit 35; fi
if [ "$wish" = keep ]; then keep conversation; fi
cd -P -- "$tree" || exit 21
look
if [ "$wish" = if-clean ]; then
  if [ "$state" != clean ]; then keep "$state"; fi
  if [ "$head" != "$base" ]; then keep commits; fi
fi
snapshot
salvage
kept="$staged $saved"
cd / || exit 21
mv -- "$tree" "$removing" || exit 21
# A program may have written to it meanwhile.
at=$removing
cd -P -- "$at" || exit 21
snapshot
cd / || exit 21
if [ "$staged $saved" != "$kept" ] || is_busy "$removing"; then exit 35; fi
mv -- "$removing" "$removed" || exit 21
forget
echo removed
