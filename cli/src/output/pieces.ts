/** A report of a CLI whose answer comes in pieces: they appear line by line. */
import type { CodingSession, RunEvent } from '@slipway/protocol'
import type { Report } from './report.ts'

/** Longest line that waits for its end, in UTF-16 code units. */
const LINE_MAX = 16_384

/** What says of a task that its texts come in pieces. A server of an earlier version does not say it. */
export type Texts = Partial<Pick<CodingSession, 'inPieces'>>

/** The same report; if texts come in pieces, with whole lines. What waits appears with the next other event. */
export const inLines = (report: Report, { inPieces = [] }: Texts): Report => {
  if (!inPieces.includes('text')) return report
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
