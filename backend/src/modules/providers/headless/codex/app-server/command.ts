/** What a command line of Codex runs. */

/** Codex runs each script in a shell of its own. */
const SHELL = /^(?:\/(?:usr\/)?bin\/)?(?:ba|z|da)?sh -l?c (?<word>[^]+)$/
/** A part of a word: quoted in one of two ways, or plain. */
const PART = /'(?<single>[^']*)'|"(?<double>(?:[^"\\$`]|\\[^])*)"|(?<plain>[\w%+,./:=@^-]+)/y

/** The text of one word of a shell. Null: it is none, or the shell would compute a part of it. */
const textOf = (word: string): string | null => {
  const part = new RegExp(PART)
  let text = ''
  while (part.lastIndex < word.length) {
    const groups = part.exec(word)?.groups
    if (!groups) return null
    const { single, double, plain } = groups
    text +=
      single ??
      plain ??
      (double ?? '').replace(/\\([$`"\\\n])/g, (_, escaped: string) => (escaped === '\n' ? '' : escaped))
  }
  return text
}

/** The script of `bash -lc SCRIPT`; any other command as it is. */
export const scriptOf = (command: string): string => {
  const word = SHELL.exec(command)?.groups?.word
  const script = word === undefined ? null : textOf(word)
  return script === null || script === '' ? command : script
}

/** A text as one word of a shell. */
const quoted = (text: string): string => (/^[\w%+,./:=@-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

/** The command in another folder, as one would type it. */
export const inFolder = (folder: string, command: string): string => `cd ${quoted(folder)} && ${command}`
