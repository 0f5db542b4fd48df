/** An asciicast of version 3, read for a player: what it shows, when, and where one may want to jump to. */
import type { Recording, RecordingEvent } from 'asciinema-player'
import { Slices } from '@/lib/timing/slices.ts'

/** `o`: printed, `i`: typed, `r`: another size, `m`: a mark, `x`: the exit status. */
export type CastCode = 'o' | 'i' | 'r' | 'm' | 'x'

export interface CastEvent {
  /** Milliseconds since the beginning. */
  readonly at: number
  /** The same where pauses are skipped. */
  readonly skippedAt: number
  readonly code: CastCode
  readonly data: string
}

export interface Cast {
  readonly cols: number
  readonly rows: number
  readonly events: readonly CastEvent[]
  /** Which of them are marks, or other sizes. */
  readonly places: readonly number[]
  /** Of the last event, in milliseconds. */
  readonly durationMs: number
  /** The same where pauses are skipped. */
  readonly skippedMs: number
}

/** What was read is no recording. */
export class CastError extends Error {
  override readonly name = 'CastError'
}

/** Pauses are cut to this where they are skipped, in milliseconds. */
const PAUSE_MS = 2_000
const CODES: readonly string[] = ['o', 'i', 'r', 'm', 'x'] satisfies CastCode[]
const isCode = (code: string): code is CastCode => CODES.includes(code)
const isPlace = (code: CastCode): boolean => code === 'm' || code === 'r'
/** Sizes beyond this are no terminal's; the player would try to draw them. */
const SIDE_MAX = 1000

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= SIDE_MAX

/**
 * Reads what comes in pieces, in slices: it may be a hundred megabytes. Leaves out what it does not know, and what was cut off in the
 * middle of a line. Throws a {@link CastError}, and what `signal` was ended with.
 */
export async function castOf(pieces: AsyncIterable<string> | Iterable<string>, signal: AbortSignal): Promise<Cast> {
  const reader = new CastReader()
  const slices = new Slices()
  for await (const piece of pieces)
    for (const line of reader.linesOf(piece)) {
      reader.take(line)
      if (!slices.isDue) continue
      await slices.pause()
      signal.throwIfAborted()
    }
  return reader.finish()
}

class CastReader {
  readonly #events: CastEvent[] = []
  readonly #places: number[] = []
  #size: { cols: number; rows: number } | null = null
  #rest = ''
  #at = 0
  #skippedAt = 0
  /** Of the last place. */
  #placeAt = -1

  take(line: string): void {
    if (this.#size === null) {
      this.#size = headerOf(line)
      return
    }
    const event = line.startsWith('[') ? eventOf(line) : null
    if (event === null) return
    this.#at += event.since
    if (!isCode(event.code)) return
    const last = this.#events.at(-1)
    // What was printed within the millisecond of a place comes after it: who jumps there sees what was before.
    const at = Math.max(this.#at, last?.at ?? 0, event.code === 'o' ? this.#placeAt + 1 : 0)
    this.#skippedAt += Math.min(PAUSE_MS, at - (last?.at ?? 0))
    if (isPlace(event.code)) {
      this.#places.push(this.#events.length)
      this.#placeAt = at
    }
    this.#events.push({ at, skippedAt: this.#skippedAt, code: event.code, data: event.data })
  }

  /** Those that a piece completes. */
  *linesOf(piece: string): Generator<string> {
    let from = 0
    for (let end = piece.indexOf('\n'); end !== -1; end = piece.indexOf('\n', from)) {
      yield this.#rest + piece.slice(from, end)
      this.#rest = ''
      from = end + 1
    }
    this.#rest += piece.slice(from)
  }

  finish(): Cast {
    return {
      ...(this.#size ?? headerOf(this.#rest)),
      events: this.#events,
      places: this.#places,
      durationMs: this.#events.at(-1)?.at ?? 0,
      skippedMs: this.#skippedAt,
    }
  }
}

function headerOf(line: string): { cols: number; rows: number } {
  try {
    const { version, term } = JSON.parse(line) as { version?: unknown; term?: { cols?: unknown; rows?: unknown } }
    if (version === 3 && isSide(term?.cols) && isSide(term.rows)) return { cols: term.cols, rows: term.rows }
  } catch {
    // Said below.
  }
  throw new CastError('Slipway cannot play this recording.')
}

function eventOf(line: string): { since: number; code: string; data: string } | null {
  try {
    const [since, code, data] = JSON.parse(line) as unknown[]
    const fits = typeof since === 'number' && since >= 0 && typeof code === 'string' && typeof data === 'string'
    return fits ? { since: Math.round(since * 1000), code, data } : null
  } catch {
    return null
  }
}

/** When an event comes, in milliseconds since the beginning. */
export const timeOf = ({ at, skippedAt }: CastEvent, skipsPauses: boolean): number => (skipsPauses ? skippedAt : at)

/** How long it takes, in milliseconds. */
export const lengthOf = ({ durationMs, skippedMs }: Cast, skipsPauses: boolean): number =>
  skipsPauses ? skippedMs : durationMs

/**
 * A place in seconds, as the player takes it. Half a millisecond later than asked for: a time that is divided by a thousand and
 * multiplied again may be just before the event whose time it was, which would then not be shown.
 */
export const playerSeconds = (ms: number): number => (ms === 0 ? 0 : (ms + 0.5) / 1000)

/** As the player takes it, with only what it knows. Its events are made one by one as it asks for them: there may be a million. */
export const forPlayer = (cast: Cast, skipsPauses: boolean): Recording => ({
  cols: cast.cols,
  rows: cast.rows,
  events: playerEvents(cast, skipsPauses),
})

function* playerEvents({ events }: Cast, skipsPauses: boolean): Generator<RecordingEvent> {
  for (const event of events) if (event.code !== 'x') yield [timeOf(event, skipsPauses), event.code, event.data]
}

/** Sequences that draw nothing by themselves: control sequences, strings such as titles, and other escapes, also one that is cut off. */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex -- it is about these.
  /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*(?:[0-Z\\`-~]|$))/g
/** What can be seen: neither space nor a control character. */
const VISIBLE = /[^\s\p{Cc}]/u
/** Pieces of one frame come within this of each other, and all of them within the second, in milliseconds. */
const PIECE_MS = 100
const FRAME_MS = 1_000
/** Characters without anything to see after which there is no first frame to look for. */
const UNSEEN_MAX = 65_536

/** When the first frame has been drawn in which there is something to see, in milliseconds; 0 where there is none. */
export function firstDrawn({ events }: Cast, skipsPauses: boolean): number {
  const drawing = events.filter(({ code }) => code === 'o')
  let unseen = ''
  const first = drawing.findIndex(({ data }) => {
    unseen += data
    return unseen.length > UNSEEN_MAX || VISIBLE.test(unseen.replaceAll(SEQUENCES, ''))
  })
  let last = drawing[first]
  if (last === undefined || unseen.length > UNSEEN_MAX) return 0
  const { at: start } = last
  for (const next of drawing.slice(first + 1)) {
    if (next.at - last.at > PIECE_MS || next.at - start > FRAME_MS) break
    last = next
  }
  return timeOf(last, skipsPauses)
}

/** A place to jump to. */
export interface CastMark {
  /** In milliseconds since the beginning. */
  readonly at: number
  readonly text: string
  /** Another size and no mark that was set. */
  readonly isResize: boolean
}

/** Sizes that follow one another so fast are one: a window's edge was drawn. */
const RESIZES_MS = 1000

/** In their order; of sizes that follow one another, the last. */
export function marksOf({ events, places }: Cast, skipsPauses: boolean): CastMark[] {
  const marks: CastMark[] = []
  for (const place of places) {
    const event = events[place]!
    const [at, isResize] = [timeOf(event, skipsPauses), event.code === 'r']
    const last = marks.at(-1)
    if (isResize && last?.isResize && at - last.at < RESIZES_MS) marks.pop()
    marks.push({ at, text: isResize ? `Resized to ${event.data.replace('x', ' × ')}` : event.data, isResize })
  }
  return marks
}
