import { fieldsIn, listIn, textIn } from '../../../../providers/headless/parts/json.ts'
import type { ReadEntry } from '../utterance.ts'

const BY = new Map<unknown, 'user' | 'cli'>([
  ['UserMessage', 'user'],
  ['AgentMessage', 'cli'],
])

/**
 * A line of `~/.codex/sessions/<date>/rollout-<time>-<session>.jsonl`. Its events have what users and the CLI said; its
 * items of the model also have what Codex itself tells the model.
 */
export const CODEX: ReadEntry = ({ type, payload, timestamp }) => {
  const event = fieldsIn(payload)
  const item = fieldsIn(event.item)
  const by = BY.get(item.type)
  if (type !== 'event_msg' || event.type !== 'item_completed' || by === undefined) return null
  const text = listIn(item.content)
    .flatMap((part) => textIn(part.text) ?? [])
    .join('\n')
  return { by, at: Date.parse(textIn(timestamp) ?? ''), text }
}
