# Makes a worktree. Arguments: the folder of our own, the home, the folder of the run, the root of the worktrees, the new
# worktree's name, its commit or nothing for that of the folder, `always` or `if-busy`, why it is locked, most bytes that are copied, then the folders of the runs at
# work. Prints its path, the folder in it, its commit, its branch or nothing, the work tree and the git folder of its origin.
home=$(cd -P -- "$1" && pwd -P) || exit 21
cd -P -- "$2" || exit 20
here=$(pwd -P) root=$3 tree_name=$4 commit=$5 wish=$6 why=$7 include_max=$8
shift 8

found=$(real -c safe.bareRepository=explicit rev-parse --path-format=absolute --show-toplevel --git-common-dir) || exit 20
top=${found%%"$newline"*} common=${found#*"$newline"}
case $top$common$here in *"$newline"*) exit 21 ;; esac
case $top in "$home" | "$home"/*) ;; *) exit 20 ;; esac
case $here in "$top" | "$top"/*) ;; *) exit 20 ;; esac
head=$(real rev-parse --verify --quiet "${commit:-HEAD}^{commit}") || exit 31
branch=$(real symbolic-ref --quiet HEAD)
cd /

if [ "$wish" = if-busy ]; then
  is_used() {
    if is_busy "$top"; then return 0; fi
    for folder; do
      case $(cd -P -- "$folder" 2>/dev/null && pwd -P)/ in "$top"/*) return 0 ;; esac
    done
    return 1
  }
  is_used "$@" || exit 30
fi

mkdir -p -- "$root" 2>/dev/null
root=$(cd -P -- "$root" 2>/dev/null && pwd -P) || exit 32
case $root in "$home"/*) ;; *) exit 32 ;; esac
at=$root/$tree_name
if [ -e "$at" ] || [ -e "$common/worktrees/$tree_name" ]; then exit 33; fi

# Each worktree then has a configuration of its own. `core.bare` would count for all of them, so it moves to the origin's.
if [ "$(real_at config --file "$common/config" --type=bool --get extensions.worktreeConfig)" != true ]; then
  if [ "$(real_at config --file "$common/config" --type=bool --get core.bare)" = true ]; then
    real_at config --file "$common/config.worktree" core.bare true || exit 21
    real_at config --file "$common/config" --unset-all core.bare || exit 21
  fi
  real_at config --file "$common/config" extensions.worktreeConfig true || exit 21
fi

real_at worktree add --quiet --detach --no-checkout --lock --reason "$why" "$at" "$head" >/dev/null 2>&1 || exit 34
admin=$common/worktrees/$tree_name
[ "$(cat "$at/.git")" = "gitdir: $admin" ] || exit 21
# What another worktree sets in the common configuration later does not change where the hooks of this one are, and its
# log names each of its commits.
hooks=$(cd -- "$at" && git config --type=path --get core.hooksPath) || hooks=$common/hooks
real_at config --file "$admin/config.worktree" core.hooksPath "$hooks" || exit 21
real_at config --file "$admin/config.worktree" core.logAllRefUpdates true || exit 21

make_own
cd -- "$at" || exit 21
GIT_INDEX_FILE="$admin/index" own read-tree -u --reset "$head" 2>/dev/null || exit 21

# Copies the ignored files of the origin that its `.worktreeinclude` names. None is written through a link.
include() {
  tree=$at at=$top
  cd -- "$at" || exit 21
  GIT_INDEX_FILE=$(real rev-parse --path-format=absolute --git-path index) || exit 21
  export GIT_INDEX_FILE
  own ls-files -z --others --ignored --exclude-from="$at/.worktreeinclude" |
    tr '\n\0' '\1\n' | grep -av "$(printf '\1')" | sort >"$own/wanted"
  own ls-files -z --others --ignored --exclude-standard | tr '\n\0' '\1\n' | sort >"$own/ignored"
  find "$tree" -name .git -prune -o -type l -printf '%P\n' >"$own/links"
  comm -12 "$own/wanted" "$own/ignored" | awk '
    FILENAME == ARGV[1] { link[$0] = 1; next }
    {
      parts = split($0, part, "/")
      path = ""
      for (at = 1; at < parts; at++) { path = path part[at]; if (path in link) next; path = path "/" }
      print
    }' "$own/links" - | tr '\n' '\0' >"$own/chosen"
  bytes=$(xargs -0 -r stat -c %s -- <"$own/chosen" 2>/dev/null | awk '{ sum += $1 } END { printf "%.0f", sum }')
  if [ "$bytes" -gt "$include_max" ]; then exit 38; fi
  xargs -0 -r cp -P -p -n --parents --reflink=auto -t "$tree" -- <"$own/chosen" 2>/dev/null || exit 21
}
if [ -f "$top/.worktreeinclude" ] && [ ! -L "$top/.worktreeinclude" ]; then
  (include) || exit $?
fi

folder=$at${here#"$top"}
mkdir -p -- "$folder" 2>/dev/null
case $(cd -P -- "$folder" 2>/dev/null && pwd -P) in "$at" | "$at"/*) ;; *) folder=$at ;; esac
mark_ready
printf '%s\n' "$at" "$folder" "$head" "$branch" "$top" "$common"
