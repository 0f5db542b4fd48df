# A git work tree of a container, for the scripts behind this one. Their first arguments: the mode, and a folder of their own
# that does not exist yet, or that an earlier call has made. Exit codes: see program.ts.
#
# Git works with a git folder of ours, so that no configuration, hook or filter of the repository counts. It takes from the
# repository: its objects, a copy of its index, what it ignores, and its work tree. The new objects are stored in our
# folder, so the repository is not changed.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
umask 077
for name in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do
  # Only a push and a fetch need what the platform and the agent's variables configure: credentials, and addresses.
  case $1:$name in push:GIT_CONFIG_* | push:GIT_SSL_CA* | fetch:GIT_CONFIG_* | fetch:GIT_SSL_CA*) ;; *) unset "$name" ;; esac
done
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_OPTIONAL_LOCKS=0 GIT_NO_REPLACE_OBJECTS=1
mode=$1 own=$2 made=
tidy() {
  failed=$?
  rm -f "$own"/*.$$
  [ "$failed" = 0 ] || [ -z "$made" ] || rm -rf -- "$own"
}
trap tidy EXIT
trap 'exit 24' HUP INT TERM
newline='
'

# Prints at most the given number of bytes of a file's text, if it is a regular file.
text_of() { if [ -f "$1" ]; then head -c 1048576 -- "$1" && echo; fi; }

# Finds the repository of the current folder, and makes our git folder for it.
find_repository() {
  found=$(git -c safe.bareRepository=explicit rev-parse --path-format=absolute --show-toplevel --git-common-dir \
    --git-path index --git-path info/exclude --show-object-format) || exit 20
  old=$IFS IFS=$newline
  set -f
  set -- $found
  set +f
  IFS=$old
  # A path with a line feed makes more lines.
  [ $# = 5 ] || exit 21
  top=$1 common=$2 index=$3 exclude=$4 format=$5
  case $top in "$home" | "$home"/*) ;; *) exit 20 ;; esac
  # What an ended container left here. A run is looked at for a day.
  find /tmp -maxdepth 1 -name 'slipway-changes-*' -user "$(id -u)" -mmin +2880 -exec rm -rf -- {} + 2>/dev/null
  mkdir -- "$own" || exit 21
  made=1
  mkdir -- "$own/objects" "$own/objects/info" "$own/refs" "$own/info" || exit 21
  printf '%s\n' "$common/objects" >"$own/objects/info/alternates"
  printf '%s\n' "$top" >"$own/top"
  printf '%s\n' "$index" >"$own/path-of-index"
  printf '%s\n' "$format" >"$own/format"
  ignores=$(git config --type=path --get core.excludesFile)
  { text_of "$ignores"; text_of "$exclude"; } >"$own/info/exclude"
  # Only how files are read. A value with other characters is none.
  git config --get-regexp '^core\.(autocrlf|eol|filemode|symlinks|ignorecase)$' |
    sed -n 's/^core\.\([a-z]*\) \([a-z]*\)$/\t\1 = \2/p' >"$own/reading"
}

# Chooses our git folder. Its configuration is written anew each time, since programs of the container can reach it.
use_own() {
  [ -d "$own" ] || exit 28
  IFS= read -r top <"$own/top" && IFS= read -r index <"$own/path-of-index" && read -r format <"$own/format" || exit 21
  case $format in sha1 | sha256) ;; *) exit 21 ;; esac
  cat - "$own/reading" >"$own/config.$$" <<CONFIG || exit 21
[core]
	repositoryFormatVersion = 1
	bare = false
	compression = 0
	bigFileThreshold = 4m
	fsmonitor = false
	hooksPath = /dev/null
	untrackedCache = false
	quotePath = false
[extensions]
	objectFormat = $format
[core]
CONFIG
  mv -- "$own/config.$$" "$own/config"
  echo 'ref: refs/heads/none' >"$own/HEAD"
  export GIT_DIR="$own" GIT_WORK_TREE="$top" GIT_CONFIG_GLOBAL=/dev/null
  cd -P -- "$top" || exit 21
}

# Writes the paths of the input to our copy of the index.
update() { git update-index -z "$@" --stdin >/dev/null 2>&1 || exit 21; }

# Copies the index to a file of ours, and chooses that.
copy_index() {
  export GIT_INDEX_FILE="$own/index.$$"
  if [ -f "$index" ]; then
    # With its time, by which git knows the files that changed right after the index was written.
    cp -p -- "$index" "$GIT_INDEX_FILE" || exit 21
    for part in "${index%/*}"/sharedindex.*; do [ ! -f "$part" ] || cp -p -- "$part" "$own" || exit 21; done
  fi
}

# Stores the work tree, and leaves its tree in $tree.
store() {
  copy_index
  git ls-files -z --others --exclude-standard 2>/dev/null | head -c $((paths_max + 1)) >"$own/others.$$"
  git ls-files -z --modified 2>/dev/null | head -c $((paths_max + 1)) >"$own/modified.$$"
  cat "$own/others.$$" "$own/modified.$$" >"$own/paths.$$"
  [ "$(wc -c <"$own/paths.$$")" -le "$paths_max" ] || exit 22
  bytes=$(xargs -0 stat -c %s -- <"$own/paths.$$" 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')
  [ "$bytes" -le "$bytes_max" ] || exit 23
  # What is gone comes first, then what is new: a file may have become a folder, or a folder a link.
  if [ -s "$own/modified.$$" ]; then
    git ls-files -z --deleted 2>/dev/null >"$own/deleted.$$"
    [ ! -s "$own/deleted.$$" ] || update --force-remove <"$own/deleted.$$"
  fi
  [ ! -s "$own/others.$$" ] || update --add --replace <"$own/others.$$"
  if [ -s "$own/modified.$$" ]; then
    git ls-files -z --modified 2>/dev/null >"$own/modified.$$"
    update --remove --replace <"$own/modified.$$"
  fi
  tree=$(git write-tree --missing-ok 2>/dev/null) || exit 21
}

# Refuses if one of these folders is in the work tree: a task writes there.
refuse_active() {
  for folder; do
    case $(cd -P -- "$folder" 2>/dev/null && pwd -P)/ in "$top"/*) exit 27 ;; esac
  done
}
