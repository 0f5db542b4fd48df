import { fieldsIn, numberIn, textIn } from '../../../../providers/headless/parts/json.ts'
import type { ReadEntry } from '../utterance.ts'

const BY = new Map<unknown, 'user' | 'cli'>([
  ['user', 'user'],
  ['assistant', 'cli'],
])

/** A part of a message in `~/.local/share/opencode/opencode.db`, with its message, as `opencode.py` prints them. */
export const OPENCODE: ReadEntry = ({ message, part }) => {
  const { role, time } = fieldsIn(message)
  const { type, text: said, synthetic } = fieldsIn(part)
  const by = BY.get(role)
  const text = textIn(said)
  // A synthetic part is OpenCode's own, such as the contents of a file that the message names.
  if (by === undefined || type !== 'text' || text === null || synthetic === true) return null
  return { by, at: numberIn(fieldsIn(time).created) ?? Number.NaN, text }
}
