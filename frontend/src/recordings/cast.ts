/** An asciicast of version 3, read for a player: what it shows, when, and where one may want to jump to. */

/** `o`: printed, `i`: typed, `r`: another size, `m`: a mark, `x`: the exit status. */
export type CastCode = 'o' | 'i' | 'r' | 'm' | 'x'

export interface CastEvent {
  /** Milliseconds since the beginning. */
  readonly at: number
  readonly code: CastCode
  readonly data: string
}

export interface Cast {
  readonly cols: number
  readonly rows: number
  readonly events: readonly CastEvent[]
  /** Of the last event. */
  readonly durationMs: number
}

/** What was read is no recording. */
export class CastError extends Error {
  override readonly name = 'CastError'
}

const CODES: readonly string[] = ['o', 'i', 'r', 'm', 'x'] satisfies CastCode[]
/** Sizes beyond this are no terminal's; the player would try to draw them. */
const SIDE_MAX = 1000

const isSide = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) <= SIDE_MAX

/** Leaves out what it does not know, and what was cut off in the middle of a line. Throws a {@link CastError}. */
export function parseCast(text: string): Cast {
  const end = text.indexOf('\n')
  const { cols, rows } = headerOf(text.slice(0, end === -1 ? text.length : end))
  const events: CastEvent[] = []
  let at = 0
  for (let from = end + 1; end !== -1 && from < text.length;) {
    const newline = text.indexOf('\n', from)
    if (newline === -1) break
    const event = text[from] === '[' ? eventOf(text.slice(from, newline)) : null
    if (event) {
      at += event.since
      if (CODES.includes(event.code)) events.push({ at, code: event.code as CastCode, data: event.data })
    }
    from = newline + 1
  }
  return { cols, rows, events, durationMs: at }
}

function headerOf(line: string): { cols: number; rows: number } {
  try {
    const { version, term } = JSON.parse(line) as { version?: unknown; term?: { cols?: unknown; rows?: unknown } }
    if (version === 3 && isSide(term?.cols) && isSide(term.rows)) return { cols: term.cols, rows: term.rows }
  } catch {
    // Said below.
  }
  throw new CastError('This is no recording that can be played here.')
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

/** The same with pauses of at most `limitMs`; null leaves them. */
export function shortened(cast: Cast, limitMs: number | null): Cast {
  if (limitMs === null) return cast
  let [at, before] = [0, 0]
  const events = cast.events.map((event) => {
    at += Math.min(limitMs, event.at - before)
    before = event.at
    return { ...event, at }
  })
  return { ...cast, events, durationMs: at }
}

/** As the player takes it: with absolute seconds, and only what it knows. */
export function forPlayer({ cols, rows, events }: Cast): [object, ...[number, string, string][]] {
  const known = events.filter(({ code }) => code !== 'x')
  return [{ version: 2, width: cols, height: rows }, ...known.map(playerEvent)]
}

const playerEvent = ({ at, code, data }: CastEvent): [number, string, string] => [at / 1000, code, data]

/** A place to jump to. */
export interface CastMark {
  readonly at: number
  readonly text: string
  /** Another size and no mark that was set. */
  readonly isResize: boolean
}

/** Sizes that follow one another so fast are one: a window's edge was drawn. */
const RESIZES_MS = 1000

/** In their order; of sizes that follow one another, the last. */
export function marksOf({ events }: Cast): CastMark[] {
  const marks: CastMark[] = []
  for (const { at, code, data } of events) {
    if (code !== 'm' && code !== 'r') continue
    const last = marks.at(-1)
    if (code === 'r' && last?.isResize && at - last.at < RESIZES_MS) marks.pop()
    marks.push({ at, text: code === 'r' ? `Resized to ${data.replace('x', ' × ')}` : data, isResize: code === 'r' })
  }
  return marks
}
