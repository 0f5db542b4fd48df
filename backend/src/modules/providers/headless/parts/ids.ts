/** Ids in foreign JSON. */
import { CLI_SESSION_PATTERN } from '@slipway/protocol'
import { textIn } from './json.ts'

/** Longest id of a call, in UTF-16 code units. The CLIs' own have 40 at most. */
const CALL_ID_MAX = 200
const SESSION = new RegExp(CLI_SESSION_PATTERN)

/** A CLI's own session id, which may become an argument of its next process; null for anything else. */
export const sessionIdIn = (value: unknown): string | null => {
  const text = textIn(value)
  return text !== null && SESSION.test(text) ? text : null
}

/** The id that connects a call with its result; null for anything else. */
export const callIdIn = (value: unknown): string | null => {
  const text = textIn(value)
  return text !== null && text.length > 0 && text.length <= CALL_ID_MAX ? text : null
}
