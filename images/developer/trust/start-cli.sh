#!/bin/sh
# Stands in for a coding CLI, under the CLI's own name, and starts it. In the agent's home it starts as it was seeded. In any other
# folder, such as a clone, what the folder brings along (hooks, MCP servers, plugins, settings, environments) may run
# programs and send keys elsewhere, so a person is asked first: by the CLI where it can be made to ask, else here.
name=${0##*/}
cli=/usr/local/lib/slipway/clis/$name
answers=$HOME/.config/slipway/trusted-folders

# The folder whose trust counts for $1: the root of its repository, or itself.
root_of() {
  (cd -P -- "$1" 2>/dev/null && { git rev-parse --show-toplevel 2>/dev/null || pwd -P; })
}

# The home, as long as nobody cloned something into its very place.
is_home() {
  [ "$1" = "$(cd -P -- "$HOME" && pwd -P)" ] && [ ! -e "$HOME/.git" ]
}

# Whether somebody said in Claude's own dialog that they trust $1, and not only some folder above it.
claude_trusts() {
  jq -e --arg folder "$1" '.projects[$folder].hasTrustDialogAccepted == true' "$HOME/.claude.json" >/dev/null 2>&1
}

# For CLIs that take whatever lies in the folder, or in the home, for trusted: asks once for each folder.
ask_about() {
  is_home "$1" && return
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
  # Claude asks in a terminal, but takes every folder for trusted where it cannot ask.
  { is_home "$here" || { [ "$here" != "$HOME" ] && claude_trusts "$here"; }; } || export CLAUDE_CODE_IGNORE_PERSISTED_TRUST=1
  ;;
gemini)
  # Asks in a terminal and refuses to start where it cannot, by the settings in /etc/gemini-cli. What is said of the home is
  # not meant for a Gemini that is started from there in another folder.
  [ -z "$SLIPWAY_TRUSTS_HOME" ] || unset GEMINI_CLI_TRUST_WORKSPACE SLIPWAY_TRUSTS_HOME
  is_home "$here" && export GEMINI_CLI_TRUST_WORKSPACE=true SLIPWAY_TRUSTS_HOME=1
  ;;
*)
  case ${1-} in --help | -h | --version | -v) exec "$cli" "$@" ;; esac
  ask_about "$here"
  # A folder can also be named.
  for argument; do
    [ ! -d "$argument" ] || ask_about "$(root_of "$argument")"
  done
  ;;
esac
exec "$cli" "$@"
