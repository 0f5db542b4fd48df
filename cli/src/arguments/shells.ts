/** The part of completion that runs in the shell. It asks the command for candidates. */
import type { Shell } from './complete.ts'

/** The name by which a shell asks. It is in no help. */
export const COMPLETE = '__complete'

export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_slipway() {
  local IFS=$'\\n'
  COMPREPLY=($(slipway ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _slipway slipway`,
  zsh: `#compdef slipway
_slipway() {
  local -a found
  found=(\${(f)"$(slipway ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _slipway slipway`,
  fish: `function __slipway_complete
  set -l words (commandline -opc) (commandline -ct)
  slipway ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c slipway -n 'not __fish_seen_subcommand_from cp' -f
complete -c slipway -a '(__slipway_complete)'`,
}
