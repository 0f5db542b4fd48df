/** Words of a shell, as far as their text is known before they run. */
import type { Command, CommandArgument, Word, WordPart } from 'unbash'

/** A word of a command: its text; null if an expansion or a pattern decides it. */
export type Known = string | null

const isFixed = (part: WordPart): boolean => {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.every(isFixed)
    default:
      return false
  }
}

export const knownText = (word: Word): Known =>
  word.parts === undefined || word.parts.every(isFixed) ? word.value : null

/** The words after the name. An assignment there is an ordinary argument. */
export const argumentsOf = (command: Command): Known[] => command.args.map(knownArgument)

const knownArgument = (argument: CommandArgument): Known => {
  if (argument.type === 'Word') return knownText(argument)
  const { value, text } = argument
  if (value.type === 'ArrayValue') return null
  const known = knownText(value)
  return known === null ? null : text.slice(0, text.indexOf('=') + 1) + known
}

/** Whether one of the short options, or a long one, is given: `-rf` has `r` and `f`. A computed word may be any of them. */
export const hasOption = (args: readonly Known[], short: string, ...long: readonly string[]): boolean =>
  args.some((arg) => {
    if (arg === null || !arg.startsWith('-')) return false
    if (arg.startsWith('--')) return long.some((name) => arg === name || arg.startsWith(`${name}=`))
    return Array.from(short).some((letter) => arg.slice(1).includes(letter))
  })

/** The words that are no options. */
export const operands = (args: readonly Known[]): Known[] => args.filter((arg) => arg === null || !arg.startsWith('-'))

/** The folders in which the names of programs mean what they say. */
const PROGRAM_FOLDER = /^\/(?:usr\/(?:local\/)?)?s?bin\/([^/]+)$/

/** The name of a program without such a folder. */
export const programName = (name: string): string => PROGRAM_FOLDER.exec(name)?.[1] ?? name
