/** What may come next on a command line. */
import type { Command, Positional } from './command.ts'

/** Finds the names that only the server knows. */
export type LookUp = (kind: 'agent' | 'run' | 'dialog') => Promise<readonly string[]>

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * The candidates for the last word.
 *
 * @param words after `slipway`, with the last one as far as it was typed
 */
export const complete = async (
  words: readonly string[],
  commands: readonly Command[],
  lookUp: LookUp,
): Promise<string[]> => {
  const last = words.at(-1) ?? ''
  const [name = '', ...rest] = words
  if (words.length <= 1) return startingWith(last, [...commands.map((command) => command.name), '--help', '--version'])
  const command = commands.find((one) => one.name === name)
  const given = rest.slice(0, -1)
  // After `--` there are arguments of another program.
  if (command === undefined || given.includes('--')) return []
  const option = optionOf(command, given.at(-1))
  if (option?.type === 'string') return startingWith(last, option.values ?? [])
  if (last.startsWith('-'))
    return startingWith(last, [...Object.keys(command.options).map((each) => `--${each}`), '--help'])
  const positional = command.positionals[positionalsIn(command, given)]
  return positional === undefined ? [] : startingWith(last, await namesOf(positional, lookUp))
}

const startingWith = (start: string, all: readonly string[]): string[] => all.filter((one) => one.startsWith(start))

const optionOf = ({ options }: Command, word: string | undefined) =>
  Object.entries(options).find(
    ([name, { short }]) => word === `--${name}` || (short !== undefined && word === `-${short}`),
  )?.[1]

/** How many of the words are neither options nor values of them. */
const positionalsIn = (command: Command, words: readonly string[]): number =>
  words.filter((word, index) => !word.startsWith('-') && optionOf(command, words[index - 1])?.type !== 'string').length

const namesOf = async ({ kind }: Positional, lookUp: LookUp): Promise<readonly string[]> => {
  if (kind === 'text') return []
  return kind === 'shell' ? SHELLS : lookUp(kind)
}
