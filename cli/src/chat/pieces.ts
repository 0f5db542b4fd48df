/** A report of a CLI whose answer comes in pieces: they appear line by line. */
import type { RunEvent } from '@slipway/protocol'
import type { Report } from '../output/report.ts'

/** CLIs whose `text` events are pieces of one text. */
const IN_PIECES: ReadonlySet<string> = new Set(['gemini-cli', 'copilot'])
/** Longest line that waits for its end, in UTF-16 code units. */
const LINE_MAX = 16_384

/** The same report; for a CLI of that kind, with whole lines. What waits appears with the next other event. */
export const inLines = (report: Report, { provider, policy }: { provider: string; policy: string | null }): Report => {
  // Over ACP, which is how CLIs ask people, all of them but those with a protocol of their own say pieces.
  const asks = policy === 'ask' || policy === 'tiers'
  if (!IN_PIECES.has(provider) && !(asks && provider === 'opencode')) return report
  let waiting: Extract<RunEvent, { type: 'text' }> | null = null
  const flush = (): void => {
    if (waiting !== null && waiting.text.trim() !== '') report.event(waiting)
    waiting = null
  }
  return {
    ...report,
    event: (event) => {
      if (event.type !== 'text') {
        flush()
        return report.event(event)
      }
      const text: string = (waiting?.text ?? '') + event.text
      const end = text.length > LINE_MAX ? text.length : text.lastIndexOf('\n') + 1
      if (end > 0 && text.slice(0, end).trim() !== '') report.event({ ...event, text: text.slice(0, end) })
      waiting = { ...event, text: text.slice(end) }
    },
    ended: (session) => {
      flush()
      report.ended(session)
    },
  }
}
