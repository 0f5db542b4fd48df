/** Searches the text of a recording. */
import { matchesIn } from '@/lib/logs/logText.ts'
import { Slices } from '@/lib/timing/slices.ts'
import type { Cast } from './cast.ts'
import { PlainText, type TextPiece } from './plainText.ts'

/** One match, with the text around it. */
export interface Hit {
  /** Index of the event that completes it. */
  readonly event: number
  readonly before: string
  readonly match: string
  readonly after: string
}

/** Most matches listed; there may be more. */
export const HITS_MAX = 500
/** Text shown on each side of a match, in characters. */
const AROUND = 40

/** The text of a recording, read in slices, because it may have a hundred megabytes. Null if `signal` aborted it. */
export async function textOf({ events }: Cast, signal: AbortSignal): Promise<readonly TextPiece[] | null> {
  const plain = new PlainText()
  const slices = new Slices()
  for (const [index, { code, data }] of events.entries()) {
    if (code === 'o') plain.feed(data, index)
    if (!slices.isDue) continue
    await slices.pause()
    if (signal.aborted) return null
  }
  plain.finish(events.length - 1)
  return plain.pieces
}

/** The matches in order, ignoring case. Text that is drawn repeatedly counts once in a row. */
export function hitsIn(pieces: readonly TextPiece[], needle: string): Hit[] {
  const hits: Hit[] = []
  let last = ''
  for (const { text, event } of pieces) {
    for (const at of matchesIn(text, needle)) {
      if (hits.length >= HITS_MAX) return hits
      const around = {
        before: text.slice(Math.max(0, at - AROUND), at),
        after: text.slice(at + needle.length).slice(0, AROUND),
      }
      const hit = { event, match: text.slice(at, at + needle.length), ...around }
      const shown = JSON.stringify(around)
      if (shown !== last) hits.push(hit)
      last = shown
    }
  }
  return hits
}
