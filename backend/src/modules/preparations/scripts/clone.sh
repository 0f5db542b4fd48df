# Clones a repository into a new folder of the home. Arguments: a folder of its own that does not exist yet, the home, the
# name of the new folder, the id of the preparation, the address, a branch or a tag (empty: what the remote checks out), and
# the bytes of devcontainer.json that are printed. Prints the commit, the branch, and the path and the text of that file,
# each with a NUL behind it. What git says comes on the error output.
#
# Nothing of the repository runs: no hook, no template, no fsmonitor, no submodule. Filters are those of the agent's user
# alone. Exit codes: see program.ts.
PATH=/usr/local/bin:/usr/bin:/bin
export LC_ALL=C
umask 022
for variable in $(env | sed -n 's/^\(GIT_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$variable"; done
export GIT_TERMINAL_PROMPT=0 GIT_ASKPASS=false SSH_ASKPASS=false GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1
export GIT_ALLOW_PROTOCOL=https:http:ssh
# A new home knows no host. The key of the first answer is kept, and a later answer must have the same.
export GIT_SSH_COMMAND='ssh -oBatchMode=yes -oStrictHostKeyChecking=accept-new'
own=$1 home=$2 name=$3 id=$4 url=$5 ref=$6 bytes=$7
target=$home/$name
mark=slipway-preparation
command -v git >/dev/null || exit 127

quiet() {
  git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c submodule.recurse=false -c core.askPass=false "$@"
}

clone() {
  set -- --progress --template= --no-recurse-submodules
  [ -z "$ref" ] || set -- "$@" --branch "$ref"
  # A server that has stopped sending is noticed.
  quiet -c http.lowSpeedLimit=1 -c http.lowSpeedTime=60 clone "$@" -- "$url" "$own/tree" >&2 || exit 42
  echo "$id" >"$own/tree/.git/$mark" || exit 41
  # Without `-T`, it would become a folder inside one that was made meanwhile.
  mv -T -n -- "$own/tree" "$target" && [ ! -e "$own/tree" ] || exit 40
}

trap 'rm -rf -- "$own"' EXIT
trap 'exit 24' HUP INT TERM
if [ -e "$target" ] || [ -L "$target" ]; then
  # The clone of an earlier server, which did not get to store that it was done.
  [ -f "$target/.git/$mark" ] && [ "$(head -c 100 "$target/.git/$mark")" = "$id" ] || exit 40
else
  # What an earlier attempt left that was killed.
  rm -rf -- "$home"/.slipway-clone-*
  mkdir -- "$own" || exit 41
  clone
fi
cd -P -- "$target" || exit 41
commit=$(quiet rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null)
branch=$(quiet symbolic-ref -q --short HEAD 2>/dev/null)
printf '%s\0' "$commit" "$branch"
# From the commit: what is on the disk may be a link.
for file in .devcontainer/devcontainer.json .devcontainer.json ''; do
  [ "$(quiet cat-file -t "HEAD:$file" 2>/dev/null)" != blob ] || break
done
printf '%s\0' "$file"
[ -z "$file" ] || quiet cat-file blob "HEAD:$file" | head -c "$bytes" | tr -d '\000'
printf '\0'
