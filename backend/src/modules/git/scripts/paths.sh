# A work tree of which a user names files: begins the work on it, and stores those files alone. Behind work-tree.sh and
# repository.sh. Arguments: the mode, a folder of its own that does not exist yet, the home, the folder of the repository, most
# bytes of the index, most bytes of the files. The files come from the input, each with a NUL behind it.

home=$(cd -P -- "$3" && pwd -P) || exit 21
cd -P -- "$4" 2>/dev/null || exit 20
index_max=$5 files_max=$6
shift 6
locked= made_branch=
tidy_all() {
  if [ $? != 0 ] && [ -n "$made_branch" ]; then real update-ref -d "refs/heads/$made_branch"; fi
  [ -z "$locked" ] || rm -f -- "$index.lock"
  rm -rf -- "$own"
}
trap tidy_all EXIT
# A pipe never answers.
for part in .git .git/HEAD .git/config; do [ ! -p "$part" ] || exit 20; done
count=${GIT_CONFIG_COUNT-}
unset GIT_CONFIG_COUNT
find_repository 2>/dev/null
know_repository
use_own
know_head
if [ -f "$index" ] && [ "$(stat -L -c %s -- "$index")" -gt "$index_max" ]; then exit 38; fi
if [ -f "$common/shallow" ]; then export GIT_SHALLOW_FILE="$common/shallow"; fi
# Git looks for the commit that is checked out here.
[ -z "$head" ] || echo "$head" >"$own/HEAD"
author_name=${name:-Slipway} author_address=${address:-slipway@localhost}

# Stores in the repository what is written from now on.
use_objects() { export GIT_OBJECT_DIRECTORY="$common/objects"; }

read_asked() {
  cat >"$own/asked.$$" || exit 21
  [ -s "$own/asked.$$" ] || exit 21
}

# Runs git with the named files as its last arguments.
on_asked() { xargs -0 -r git --literal-pathspecs "$@" -- <"$own/asked.$$" 2>/dev/null; }

# Keeps one entry of each file of the input: the only one, or in a conflict the one of the branch that is checked out.
unconflicted() { tr '\n\000' '\001\n' | sed -n "s/^\([0-7]* [0-9a-f]*\) [02]	/\1 0	/p" | tr '\n\001' '\000\n'; }

# Leaves a tree of nothing but the named files in $tree, as they are in the commit (`head`), in the copy of the index (`index`)
# or in the work tree (`files`). The index of that tree is $own/small.$$.
tree_in() {
  rm -f -- "$own/small.$$"
  if [ "$1" = head ]; then
    if [ -n "$head" ]; then on_asked ls-tree -r -z --full-tree "$head"; fi
  else
    on_asked ls-files -z --stage | unconflicted
  fi >"$own/entries.$$"
  tree=$(
    export GIT_INDEX_FILE="$own/small.$$"
    git update-index -z --index-info <"$own/entries.$$" 2>/dev/null || exit 21
    if [ "$1" = files ]; then
      refuse_large
      update_asked
    fi
    git write-tree --missing-ok 2>/dev/null
  ) || exit $?
}

lines() { tr '\n\000' '\001\n' <"$1" | sort -u; }

# Takes the named files from the work tree into the chosen index. What is gone comes first, also what a link now hides.
update_asked() {
  on_asked diff-files -z --name-only --diff-filter=D --ignore-submodules=all >"$own/deleted.$$"
  if [ -s "$own/deleted.$$" ]; then update --force-remove <"$own/deleted.$$"; fi
  lines "$own/deleted.$$" >"$own/gone.$$"
  lines "$own/asked.$$" | comm -23 - "$own/gone.$$" | tr '\n\001' '\000\n' >"$own/there.$$"
  if [ -s "$own/there.$$" ]; then update --add --remove --replace <"$own/there.$$"; fi
}

# Refuses files that are too large together, and says how large they are.
refuse_large() {
  bytes=$(xargs -0 stat -c %s -- <"$own/asked.$$" 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')
  if [ "$bytes" -gt "$files_max" ]; then
    echo "$bytes" >&2
    exit 23
  fi
}

# Leaves the trees of the named files in $base and $tree: what is staged of them, or what is not.
trees_of_side() {
  if [ "$1" = staged ]; then
    tree_in head
    base=$tree
    tree_in index
  else
    tree_in index
    base=$tree
    tree_in files
  fi
}
