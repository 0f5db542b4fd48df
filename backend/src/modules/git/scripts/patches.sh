# What is between two trees of a git work tree, as lists and as patches, for the scripts behind work-tree.sh and this one.

# Prints the strings, the lengths and the contents of files.
compare() {
  set -- --no-ext-diff --no-textconv --no-color --submodule=short --find-renames -r "$base" "$tree"
  git diff-tree --shortstat "$@" >"$own/sum.$$" 2>/dev/null || exit 21
  git diff-tree -z --raw --numstat --no-abbrev "$@" 2>/dev/null | head -c "$part_max" >"$own/list.$$"
  git diff-tree --raw --no-abbrev "$@" 2>/dev/null | head -c "$part_max" | awk '{ print $3; print $4 }' |
    git cat-file --batch-check='%(objectname) %(objectsize)' 2>/dev/null | head -c "$part_max" >"$own/sizes.$$"
  git diff-tree --patch --full-index "$@" 2>/dev/null | head -c "$part_max" >"$own/patch.$$"
  echo "$tree" >"$own/tree.$$"
  for part in sum list sizes patch tree; do wc -c <"$own/$part.$$"; done
  cat "$own/sum.$$" "$own/list.$$" "$own/sizes.$$" "$own/patch.$$" "$own/tree.$$"
}

# Prints what is between two trees at these paths. Renames are a deletion and a new file. A path may also name a folder.
between() {
  git --literal-pathspecs diff-tree --no-ext-diff --no-textconv --no-color --submodule=short --full-index -r "$@"
}

# Prints a hunk of the patch of one file as a patch of its content alone: neither its name nor its mode.
hunk_of() {
  awk -v hunk="$1" '
    /^@@ / {
      if (at++ == 0) {
        if (before == "--- /dev/null" || after == "+++ /dev/null") printf "%s", head
        else {
          before = substr(after, 5)
          sub(/b\//, "a/", before)
          print "--- " before
          print after
        }
      }
    }
    at == 0 {
      head = head $0 "\n"
      if (/^--- /) before = $0
      if (/^\+\+\+ /) after = $0
      next
    }
    at == hunk
  '
}

# Writes a patch to the work tree, all of it or nothing. The arguments are options of `git apply`.
apply() {
  set -- --whitespace=nowarn "$@" "$own/patch.$$"
  git apply --check "$@" 2>/dev/null || exit 26
  # What it writes is for the programs of the agent, like their own files.
  (umask 022 && git apply "$@" 2>/dev/null) || exit 21
}
