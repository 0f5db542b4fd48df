/** Whether a rule is about a command of a line. */
import type { RuleCovers } from '@slipway/protocol'
import type { GradedCommand, GradedLine } from '../../grading/line.ts'
import { type Reason, type Tier, tierOf } from '../../grading/reasons.ts'
import { runsByOption } from '../../grading/tables.ts'
import { type Known, programName } from '../../grading/words.ts'
import { dependsOnFolder, isHarmlessOption, mustBeExact } from './programs.ts'

export type CommandCovers = Extract<RuleCovers, { kind: 'command' }>

/** What the beginning of a command does not tell. */
const UNTOLD: readonly Reason[] = ['settings', 'loader', 'otherUser', 'lookalike', 'unreadable']
/** A secret of which the platform knows only this. */
export const MASK = '***'

export const gravestOf = (reasons: Iterable<Reason>): Tier =>
  [...reasons].reduce<Tier>((gravest, reason) => (tierOf(reason) > gravest ? tierOf(reason) : gravest), 0)

/** The words of a command as rules name them; null if one of them is not known before it runs. */
export const knownWords = (words: readonly Known[]): string[] | null => {
  const known = words.filter((word): word is string => word !== null && !word.includes(MASK))
  if (known.length < words.length) return null
  const [name = '', ...rest] = known
  return [programName(name), ...rest]
}

const beginsWith = (words: readonly Known[], beginning: readonly string[]): boolean =>
  beginning.every((word, at) => words[at] === word)

/** Whether a rule allows this command of the line. Tier 3 is never allowed, nor what another command runs. */
export const allowsCommand = (
  { words: ruled, exact }: Pick<CommandCovers, 'words' | 'exact'>,
  { words, reasons, isDirect }: GradedCommand,
  { goesElsewhere }: Pick<GradedLine, 'goesElsewhere'>,
): boolean => {
  const known = knownWords(words)
  if (known === null || !isDirect || gravestOf(reasons) > 2 || !beginsWith(known, ruled)) return false
  if (goesElsewhere && dependsOnFolder(known)) return false
  if (exact) return known.length === ruled.length
  if (mustBeExact(ruled) || mustBeExact(known) || UNTOLD.some((reason) => reasons.has(reason))) return false
  return known
    .slice(ruled.length)
    .every((word) => (!word.startsWith('-') || isHarmlessOption(ruled, word)) && !runsByOption(word))
}

/** Whether a rule denies this command of the line, also where another one runs it. */
export const deniesCommand = (
  { words: ruled, exact }: Pick<CommandCovers, 'words' | 'exact'>,
  { words: [name = null, ...rest] }: GradedCommand,
): boolean => {
  const words = [name === null ? null : programName(name), ...rest]
  return beginsWith(words, ruled) && (!exact || words.length === ruled.length)
}
