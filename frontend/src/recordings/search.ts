/** Search in what a recording shows. */
import { matchesIn } from '@/lib/logs/logText.ts'
import { Slices } from '@/lib/timing/slices.ts'
import type { Cast } from './cast.ts'
import { PlainText, type TextPiece } from './plainText.ts'

/** One place where it stands, with what stands around it. */
export interface Hit {
  /** Which event completes it. */
  readonly event: number
  readonly before: string
  readonly match: string
  readonly after: string
}

/** Places that are listed; there may be more. */
export const HITS_MAX = 500
/** What is shown on each side of a place, in characters. */
const AROUND = 40

/** The text of a recording, in slices: it may be a hundred megabytes. Null when `signal` ended it. */
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

/** In their order, without regard to case. What is drawn again and again is listed once in a row. */
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
