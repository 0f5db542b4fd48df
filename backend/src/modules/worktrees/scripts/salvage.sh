# Saves the state of a worktree to a reference, so that nothing of it is lost when it is removed.

update() { own update-index -z "$@" --stdin >/dev/null 2>&1 || exit 21; }

# Leaves the trees of the index and of the work tree $at in $staged and $saved. Files that git ignores are in it if they
# changed since the worktree was ready: the others are copies, or results of its set-up command.
snapshot() {
  look
  # A repository in the work tree has objects of its own, which this repository cannot keep.
  if [ -n "$(find "$at" -mindepth 2 -name .git -prune -print -quit)" ]; then exit 36; fi
  staged=
  if [ ! -s "$own/unmerged" ]; then staged=$(own write-tree --missing-ok 2>/dev/null) || exit 21; fi
  # The bytes that are there, without a conversion.
  echo '* -text -eol -filter -ident -working-tree-encoding' >"$own/git/info/attributes"
  own ls-files -z --others --ignored --exclude-standard >"$own/ignored" 2>/dev/null || exit 21
  if [ ! -f "$admin/slipway-ready" ] || ! (cd -- "$at" && [ -s "$own/ignored" ] &&
    find -files0-from "$own/ignored" -maxdepth 0 -cnewer "$admin/slipway-ready" -print0) >"$own/newer" 2>/dev/null; then
    cp -- "$own/ignored" "$own/newer" || exit 21
  fi
  bytes=$(cd -- "$at" && xargs -0 -r stat -c %s -- <"$own/newer" 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')
  if [ "$bytes" -gt "$ignored_max" ]; then exit 37; fi
  # What is gone comes first, then what is new: a file may have become a folder, or a folder a link.
  own ls-files -z --deleted >"$own/deleted" 2>/dev/null
  if [ -s "$own/deleted" ]; then update --force-remove <"$own/deleted"; fi
  cat "$own/others" "$own/newer" >"$own/new"
  if [ -s "$own/new" ]; then update --add --replace <"$own/new"; fi
  own ls-files -z --modified >"$own/modified" 2>/dev/null || exit 21
  if [ -s "$own/modified" ]; then update --remove --replace <"$own/modified"; fi
  saved=$(own write-tree --missing-ok 2>/dev/null) || exit 21
  rm -f -- "$own/git/info/attributes"
}

# The commits that the worktree's git folder names and that its HEAD does not contain: of its log, of a rebase, of its
# own references.
named_commits() {
  find "$admin" -type f ! -name index ! -name 'sharedindex.*' -exec cat -- {} + 2>/dev/null |
    grep -aoE '[0-9a-f]{40,64}' | sort -u | own cat-file --batch-check='%(objecttype) %(objectname)' 2>/dev/null |
    awk '$1 == "commit" { print $2 }' | sort -u >"$own/named"
  { cat "$own/named" && echo "^$head"; } | own rev-list --stdin 2>/dev/null | sort -u >"$own/beyond" ||
    cp -- "$own/named" "$own/beyond"
  comm -12 "$own/named" "$own/beyond"
}

# Writes a commit of the tree $1 with the message $2. Its parents are the lines of the input.
write_commit() {
  now="Slipway <slipway@localhost> $(date +%s) +0000"
  {
    echo "tree $1"
    sed 's/^/parent /'
    printf 'author %s\ncommitter %s\n\n%s\n' "$now" "$now" "$2"
  } | own hash-object -t commit -w --stdin || exit 21
}

# Saves what `snapshot` left, and the commits. Prints the reference.
salvage() {
  named_commits >"$own/parents"
  commit=$head
  if [ "$staged $saved" != "$base_tree $base_tree" ] || [ -s "$own/parents" ]; then
    if [ -n "$staged" ] && [ "$staged" != "$saved" ]; then
      echo "$head" | write_commit "$staged" "Index of the worktree $tree_name" >"$own/commit" || exit 21
      cat "$own/commit" >>"$own/parents"
    fi
    { echo "$head" && cat "$own/parents"; } | write_commit "$saved" "Work tree of the worktree $tree_name" >"$own/commit" ||
      exit 21
    read -r commit <"$own/commit"
  fi
  short=$(printf %.12s "$commit")
  ref=refs/slipway/salvage/$tree_name/$short
  (unset GIT_OBJECT_DIRECTORY && real_at update-ref --no-deref "$ref" "$commit") 2>/dev/null || exit 21
  echo "salvage $ref"
}
