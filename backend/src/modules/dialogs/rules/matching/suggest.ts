/** The rules that a card offers. Pure. */
import { posix } from 'node:path'
import { AGENT_HOME, RULE_WORDS_MAX, type RuleCovers, RULES_OF_QUESTION_MAX } from '@slipway/protocol'
import { type GradedCommand, gradeLine } from '../../grading/line.ts'
import { reasonOfPath } from '../../grading/paths.ts'
import { gravestOf, knownWords } from './command.ts'
import { beginningLength, isHarmlessOption, mustBeExact } from './programs.ts'
import { type Asked, type Asking, changedPath, rulingOf } from './ruling.ts'

/** Folders that are too wide for a rule that was made for one file. */
const WIDE: ReadonlySet<string> = new Set(['/', AGENT_HOME, '/tmp', '/etc', '/usr', '/var', '/home', '/opt'])
const WORD_MAX = 1000
// What `RuleCovers` refuses.
const CONTROL = /\p{Cc}/u

/** The rules that cover exactly this question, and the next equal one. Empty: no rule can. */
export const rulesFor = (asked: Asked, asking: Asking): RuleCovers[] => {
  const found = asked.command === null ? [coversOfTool(asked, asking)] : coversOfLine(asked.command, asking)
  if (found.length > RULES_OF_QUESTION_MAX) return []
  const rules = found.map((covers) => ({ of: 'user', decision: 'allow', covers }) as const)
  // What cannot be allowed can be denied.
  return asked.tier > 2 || rulingOf(asked, asking, rules) !== null ? found : []
}

const coversOfTool = (asked: Asked, { folder }: Asking): RuleCovers => {
  const path = changedPath(asked, folder)
  if (path === null) return { kind: 'tool', tool: asked.tool }
  const place = posix.dirname(path)
  return { kind: 'path', path: WIDE.has(place) || reasonOfPath(path) === 'settings' ? path : place }
}

const coversOfLine = (command: string, { passes }: Asking): RuleCovers[] => {
  const direct = gradeLine(command).commands.filter(({ isDirect }) => isDirect)
  const gravest = Math.max(...direct.map(({ reasons }) => gravestOf(reasons)))
  // A line that only does what passes is asked about where the CLI itself wants it.
  const needing = direct.filter(({ reasons }) => gravestOf(reasons) > Math.min(passes, gravest - 1))
  const found = new Map<string, RuleCovers>()
  for (const one of needing) {
    const covers = coversOfCommand(one)
    if (covers === null) return []
    found.set(JSON.stringify(covers), covers)
  }
  return [...found.values()]
}

const coversOfCommand = ({ words, reasons }: GradedCommand): RuleCovers | null => {
  const known = knownWords(words)
  if (known === null) return null
  const beginning = beginningOf(known, reasons.has('settings'))
  const ruled = beginning ?? known
  const isStorable = ruled.every((word) => word !== '' && word.length <= WORD_MAX && !CONTROL.test(word))
  if (!isStorable || ruled.length > RULE_WORDS_MAX) return null
  return { kind: 'command', words: ruled, exact: beginning === null }
}

/** The words that say what the program does, up to the last option. Null: only the whole command says it. */
const beginningOf = (words: readonly string[], isSetting: boolean): string[] | null => {
  const length = beginningLength(words)
  const said = words.slice(0, length)
  if (length === 0 || said.length < length || isSetting || mustBeExact(words)) return null
  const options = words.map((word, at) =>
    at >= length && word.startsWith('-') && !isHarmlessOption(said, word) ? at + 1 : 0,
  )
  return words.slice(0, Math.max(length, ...options))
}
