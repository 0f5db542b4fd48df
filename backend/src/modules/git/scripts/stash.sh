# The stash, for write.sh, which has the functions that this one calls.

# Whether the stash with the number $1 is still the commit $2.
is_stash() { [ "$(real rev-parse -q --verify "refs/stash@{$1}")" = "$2" ] || exit 26; }

# Leaves the tree of the copy of the index in $tree.
take_tree() { tree=$(git write-tree --missing-ok 2>/dev/null) || exit 21; }

# Puts what has changed aside, as `git stash push` does: a commit of the work tree, whose second parent has the index and whose third
# one has the untracked files. Git takes the files back only if they are still as they were stored.
stash_push() {
  [ -n "$head" ] || exit 46
  refuse_unfinished
  [ -z "$(git ls-files --unmerged 2>/dev/null | head -c 1)" ] || exit 30
  lock
  git update-index -q --refresh >/dev/null 2>&1
  take_tree
  index_tree=$tree
  git ls-files -z --modified 2>/dev/null >"$own/asked.$$"
  : >"$own/others.$$"
  [ -z "$1" ] || git ls-files -z --others --exclude-standard 2>/dev/null >"$own/others.$$"
  cat "$own/asked.$$" "$own/others.$$" >"$own/paths.$$"
  if [ -s "$own/paths.$$" ]; then
    cp -- "$own/asked.$$" "$own/modified.$$"
    cp -- "$own/paths.$$" "$own/asked.$$"
    refuse_large
    cp -- "$own/modified.$$" "$own/asked.$$"
  fi
  # Also what is staged alone comes back with the content that git has here.
  git diff-tree -r -z --name-only --diff-filter=d "$(tree_of_head)" "$index_tree" >>"$own/paths.$$" 2>/dev/null || exit 21
  refuse_filtered_paths
  [ ! -s "$own/asked.$$" ] || update_asked
  take_tree
  files_tree=$tree
  ! git diff-tree -r "$(tree_of_head)" "$files_tree" 2>/dev/null | grep -qE '^:(160000 |[0-7]* 160000 )' || exit 25
  [ "$(git rev-parse "$(tree_of_head)")" != "$files_tree" ] || [ "$index_tree" != "$files_tree" ] || [ -s "$own/others.$$" ] || exit 47

  on=${target#refs/heads/}
  on="${on:-(no branch)}: $(git log -1 --no-show-signature --format='%h %s' "$head")"
  parts="-p $head -p $(git commit-tree "$index_tree" -p "$head" -m "index on $on" 2>/dev/null)" || exit 21
  if [ -s "$own/others.$$" ]; then
    tree=$(GIT_INDEX_FILE="$own/small.$$" && export GIT_INDEX_FILE && update --add <"$own/others.$$" && git write-tree --missing-ok) || exit 21
    parts="$parts -p $(git commit-tree "$tree" -m "untracked files on $on" 2>/dev/null)" || exit 21
    update --add --replace <"$own/others.$$"
  fi
  said=$(cat "$own/message.$$")
  if [ -n "$said" ]; then said="On ${on%%:*}: $said"; else said="WIP on $on"; fi
  commit=$(git commit-tree "$files_tree" $parts -m "$said" 2>/dev/null) || exit 21
  take_tree
  in_the_way=26
  check_files "$tree" "$(tree_of_head)"
  real update-ref --create-reflog -m "$said" refs/stash "$commit" || exit 21
  # If the files cannot be put back, the stash is needed.
  settle=forget_new half=49
  write read-tree -m -u "$tree" "$(tree_of_head)" && ready_index 2>"$own/said.$$" || give_back 50
  rename_index
  echo "$commit"
}

# Prints what tells whether files have changed: those that differ from the copy of the index, and those of the stash $1.
traces_of() {
  {
    git ls-files -z --modified
    git diff-tree -r -z --name-only "$1^1" "$1"
    git ls-tree -r -z --name-only --full-tree "$1^3"
  } 2>/dev/null | xargs -0 -r stat -c '%n %i %s %y' 2>/dev/null | cksum
}

stash_apply() {
  is_stash "$@"
  refuse_unfinished
  lock
  tree=$(git rev-parse -q --verify "$2^{tree}" 2>/dev/null) || exit 42
  refuse_filtered
  git update-index -q --refresh >/dev/null 2>&1
  cp -p -- "$GIT_INDEX_FILE" "$own/before.$$" || exit 21
  traces=$(traces_of "$2")
  write stash apply -q "$2"
  failed=$?
  ready_index 2>>"$own/said.$$" || fail_apply "$2"
  git ls-files -z --unmerged >"$own/entries.$$" 2>/dev/null
  [ "$failed" = 0 ] || [ -s "$own/entries.$$" ] || fail_apply "$2"
  rename_index
  if [ "$failed" = 0 ]; then return; fi
  tr '\n\000' '\001\n' <"$own/entries.$$" | sed 's/^[^	]*	//' | sort -u | tr '\n\001' '\000\n'
}

# Ends an application of the stash $1 that failed without a conflict.
fail_apply() {
  GIT_INDEX_FILE="$own/before.$$"
  if [ "$(traces_of "$1")" != "$traces" ]; then
    tell
    exit 54
  fi
  [ -z "$late" ] || exit 53
  grep -q 'unable to' "$own/said.$$" || exit 43
  tell
  exit 50
}

forget() {
  real reflog delete --updateref --rewrite "refs/stash@{$1}" || exit 21
  [ -s "$common/logs/refs/stash" ] || real update-ref -d refs/stash
}
# The stash that was just made, if no other one has been since.
forget_new() { [ "$(real rev-parse -q --verify 'refs/stash@{0}')" != "$commit" ] || forget 0; }

stash_drop() {
  is_stash "$@"
  keep "$2" stash
  forget "$1"
  echo "$ref"
}
