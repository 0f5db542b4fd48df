import { type Fields, fieldsIn, listIn, textIn } from '../../../../providers/headless/parts/json.ts'
import type { ReadEntry } from '../utterance.ts'

/** What Claude writes as a user without one: commands, their output, and its own notes. */
const NOT_SAID = /^\s*(?:<(?:command|local-command|bash|task|system)-|\[Request interrupted\b|Caveat: )/

/** A line of `~/.claude/projects/<folder>/<session>.jsonl`. */
export const CLAUDE: ReadEntry = ({ type, message, timestamp, isMeta, isSidechain, isCompactSummary }) => {
  if (isMeta === true || isSidechain === true || isCompactSummary === true) return null
  if (type !== 'user' && type !== 'assistant') return null
  const text = textOf(fieldsIn(message))
  if (type === 'user' && NOT_SAID.test(text)) return null
  return { by: type === 'user' ? 'user' : 'cli', at: Date.parse(textIn(timestamp) ?? ''), text }
}

/** The text of a message; empty if it only has results of tools and the like. */
const textOf = ({ content }: Fields): string =>
  textIn(content) ??
  listIn(content)
    .flatMap((block) => (block.type === 'text' ? (textIn(block.text) ?? []) : []))
    .join('\n')
