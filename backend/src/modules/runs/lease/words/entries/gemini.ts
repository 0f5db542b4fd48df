import { listIn, textIn } from '../../../../providers/headless/parts/json.ts'
import type { ReadEntry } from '../utterance.ts'

/** What Gemini tells the model as a user: the session, and what its own commands printed. */
const NOT_SAID = /^\s*<(?:session_context|loaded_context|hook_context)>/

/** A line of `~/.gemini/tmp/<project>/chats/session-<time>-<session>.jsonl`. Lines that repeat all messages have no type. */
export const GEMINI: ReadEntry = ({ type, content, timestamp }) => {
  if (type !== 'user' && type !== 'gemini') return null
  const text =
    textIn(content) ??
    listIn(content)
      .flatMap((part) => textIn(part.text) ?? [])
      .join('\n')
  if (NOT_SAID.test(text)) return null
  return { by: type === 'user' ? 'user' : 'cli', at: Date.parse(textIn(timestamp) ?? ''), text }
}
