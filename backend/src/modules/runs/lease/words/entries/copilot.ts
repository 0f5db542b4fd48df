import { fieldsIn, textIn } from '../../../../providers/headless/parts/json.ts'
import type { ReadEntry } from '../utterance.ts'

const BY = new Map<unknown, 'user' | 'cli'>([
  ['user.message', 'user'],
  ['assistant.message', 'cli'],
])

/** A line of `~/.copilot/session-state/<session>/events.jsonl`. A sub-agent's lines name the call that began it. */
export const COPILOT: ReadEntry = ({ type, data, timestamp }) => {
  const by = BY.get(type)
  const { content, parentToolCallId } = fieldsIn(data)
  const text = textIn(content)
  if (by === undefined || text === null || typeof parentToolCallId === 'string') return null
  return { by, at: Date.parse(textIn(timestamp) ?? ''), text }
}
