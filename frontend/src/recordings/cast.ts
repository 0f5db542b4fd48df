/** Reads an asciicast of version 3 for a player: its events, their times, and places to jump to. */
import type { Recording, RecordingEvent } from 'asciinema-player'
import { Slices } from '@/lib/timing/slices.ts'

/** `o`: output, `i`: input, `r`: resize, `m`: marker, `x`: exit status. */
export type CastCode = 'o' | 'i' | 'r' | 'm' | 'x'

export interface CastEvent {
  /** Milliseconds since the start. */
  readonly at: number
  /** The same, with pauses skipped. */
  readonly skippedAt: number
  readonly code: CastCode
  readonly data: string
}

export interface Cast {
  readonly cols: number
  readonly rows: number
  readonly events: readonly CastEvent[]
  /** Indexes of the events that are markers or resizes. */
  readonly places: readonly number[]
  /** Time of the last event, in milliseconds. */
  readonly durationMs: number
  /** The same, with pauses skipped. */
  readonly skippedMs: number
}

/** The text is not a recording. */
export class CastError extends Error {
  override readonly name = 'CastError'
}

/** Length of a skipped pause, in milliseconds. */
const PAUSE_MS = 2_000
const CODES: readonly string[] = ['o', 'i', 'r', 'm', 'x'] satisfies CastCode[]
const isCode = (code: string): code is CastCode => CODES.includes(code)
const isPlace = (code: CastCode): boolean => code === 'm' || code === 'r'
/** Largest number of columns or rows. No terminal is larger, and the player would try to draw it. */
const SIDE_MAX = 1000

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= SIDE_MAX

/**
 * Reads a cast from chunks, in slices, because it may have a hundred megabytes. Ignores unknown events, and a last line
 * that was cut off. Throws a {@link CastError}, or the abort reason of `signal`.
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
  /** Time of the last place. */
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
    // Output in the same millisecond as a place moves after it, so that a jump there shows the screen before that
    // output.
    const at = Math.max(this.#at, last?.at ?? 0, event.code === 'o' ? this.#placeAt + 1 : 0)
    this.#skippedAt += Math.min(PAUSE_MS, at - (last?.at ?? 0))
    if (isPlace(event.code)) {
      this.#places.push(this.#events.length)
      this.#placeAt = at
    }
    this.#events.push({ at, skippedAt: this.#skippedAt, code: event.code, data: event.data })
  }

  /** The lines that a chunk completes. */
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
    // Reported below.
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

/** Time of an event, in milliseconds since the start. */
export const timeOf = ({ at, skippedAt }: CastEvent, skipsPauses: boolean): number => (skipsPauses ? skippedAt : at)

/** Length of the cast, in milliseconds. */
export const lengthOf = ({ durationMs, skippedMs }: Cast, skipsPauses: boolean): number =>
  skipsPauses ? skippedMs : durationMs

/**
 * Converts a position to seconds for the player, and adds half a millisecond. The player divides times by a thousand
 * and multiplies them again, which may give a time just before the event. It would not show that event then.
 */
export const playerSeconds = (ms: number): number => (ms === 0 ? 0 : (ms + 0.5) / 1000)

/**
 * The cast with the fields that the player knows. Its events are created one by one as the player reads them: there may
 * be a million.
 */
export const forPlayer = (cast: Cast, skipsPauses: boolean): Recording => ({
  cols: cast.cols,
  rows: cast.rows,
  events: playerEvents(cast, skipsPauses),
})

function* playerEvents({ events }: Cast, skipsPauses: boolean): Generator<RecordingEvent> {
  for (const event of events) if (event.code !== 'x') yield [timeOf(event, skipsPauses), event.code, event.data]
}

/**
 * Sequences that draw nothing: control sequences, strings such as titles, and other escapes, also one that is cut off.
 */
const SEQUENCES =
  // eslint-disable-next-line no-control-regex -- it is about these.
  /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]*(?:[0-Z\\`-~]|$))/g
/** A visible character: neither space nor control character. */
const VISIBLE = /[^\s\p{Cc}]/u
/** Longest time between two chunks of one frame, in milliseconds. A whole frame takes at most a second. */
const PIECE_MS = 100
const FRAME_MS = 1_000
/** Characters without visible output after which the search for the first frame ends. */
const UNSEEN_MAX = 65_536

/** Time at which the first visible frame is complete, in milliseconds. 0 if there is none. */
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
  /** In milliseconds since the start. */
  readonly at: number
  readonly text: string
  /** True for a resize, false for a marker. */
  readonly isResize: boolean
}

/** Resizes closer together than this are one, in milliseconds: the user was dragging the window's edge. */
const RESIZES_MS = 1000

/** The marks in order. Of resizes in quick succession, only the last one. */
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
