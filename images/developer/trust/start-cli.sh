#!/bin/sh
# A wrapper with the name of a coding CLI, which it starts. In the agent's home the CLI starts with its seeded settings.
# Any other folder, such as a clone, may contain hooks, MCP servers, plugins, settings or environments. These can run
# programs and send keys elsewhere. So the user is asked first: by the CLI if it has such a question, otherwise here.
name=${0##*/}
cli=/usr/local/lib/slipway/clis/$name
answers=$HOME/.config/slipway/trusted-folders

# The folder whose trust applies to $1: the root of its repository, or itself.
root_of() {
  (cd -P -- "$1" 2>/dev/null && { git rev-parse --show-toplevel 2>/dev/null || pwd -P; })
}

# The main work tree of the git worktree $1, or nothing. A folder can claim to be a worktree of a trusted repository, so the
# repository has to name it, too: its list of worktrees is in its own git folder, which no clone can bring.
main_of() {
  (
    cd -P -- "$1" 2>/dev/null && [ -f .git ] || exit
    common=$(git rev-parse --path-format=absolute --git-common-dir 2>/dev/null) || exit
    admin=$(git rev-parse --absolute-git-dir 2>/dev/null) || exit
    case ${admin#"$common"/worktrees/} in */* | '') exit ;; esac
    [ "${common##*/}" = .git ] && [ ! -L "$common" ] && [ "$(cat "$admin/gitdir")" = "$(pwd -P)/.git" ] || exit
    cd -P -- "${common%/.git}" && pwd -P
  )
}

# Whether $1 is the home, and the home itself is no clone.
is_home() {
  [ "$1" = "$(cd -P -- "$HOME" && pwd -P)" ] && [ ! -e "$HOME/.git" ]
}

# Whether the user trusted $1 in Claude's own dialog, not only a folder above it.
claude_trusts() {
  [ -n "$1" ] && [ "$1" != "$HOME" ] && jq -e --arg folder "$1" '.projects[$folder].hasTrustDialogAccepted == true' "$HOME/.claude.json" >/dev/null 2>&1
}

# Whether the user trusted $1 in Gemini's own dialog, not only a folder above it.
gemini_trusts() {
  [ -n "$1" ] && jq -e --arg folder "$1" '.[$folder] == "TRUST_FOLDER"' "$HOME/.gemini/trustedFolders.json" >/dev/null 2>&1
}

# For CLIs that trust any folder, or any folder in the home: asks once for each folder, and for all worktrees of a
# repository together.
ask_about() {
  is_home "$1" && return
  main=$(main_of "$1")
  [ -z "$main" ] || set -- "$main"
  [ "$SLIPWAY_TRUST_FOLDER" = 1 ] && return
  grep -Fqxs -e "$1" "$answers" && return
  if ! { [ -t 0 ] && [ -t 2 ]; }; then
    printf '%s\n' "$name was not started: nobody has said that they trust $1, and its settings may run programs." \
      "Start $name there in a terminal once, or set SLIPWAY_TRUST_FOLDER=1." >&2
    exit 77
  fi
  printf '%s\n' "$1" "Its settings, hooks and plugins may run programs as soon as $name starts." >&2
  printf 'Do you trust this folder? [y/N] ' >&2
  read -r answer || answer=
  case $answer in
  y | Y | yes) ;;
  *) exit 77 ;;
  esac
  case $1 in *'
'*) return ;; esac
  mkdir -p "${answers%/*}" && printf '%s\n' "$1" >>"$answers"
}

here=$(root_of .)
case $name in
claude)
  # In a terminal Claude asks. Without one it trusts every folder.
  is_home "$here" || claude_trusts "$here" || claude_trusts "$(main_of "$here")" || export CLAUDE_CODE_IGNORE_PERSISTED_TRUST=1
  ;;
gemini)
  # With the settings in /etc/gemini-cli, Gemini asks in a terminal and refuses to start without one. The home's trust must
  # not apply to a Gemini that is started from there in another folder.
  [ -z "$SLIPWAY_TRUSTS_HOME" ] || unset GEMINI_CLI_TRUST_WORKSPACE SLIPWAY_TRUSTS_HOME
  { is_home "$here" || gemini_trusts "$(main_of "$here")"; } && export GEMINI_CLI_TRUST_WORKSPACE=true SLIPWAY_TRUSTS_HOME=1
  ;;
*)
  case ${1-} in --help | -h | --version | -v) exec "$cli" "$@" ;; esac
  ask_about "$here"
  # An argument can name a folder, too.
  for argument; do
    [ ! -d "$argument" ] || ask_about "$(root_of "$argument")"
  done
  ;;
esac
exec "$cli" "$@"
