/** One session whose screen is kept: when that is due again. */
import type { Ending } from '../../../sessions/ending.ts'
import type { Kept, Mirror } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { SizeChanges } from '../mirror/sizes.ts'
import type { Observer } from '../../session/observers.ts'
import type { Session } from '../../session/session.ts'
import type { Size } from '@slipway/emulator'

/** So much new output is worth a print, in bytes: far below the megabyte that the container keeps of it. */
export const ENOUGH_BYTES = 262_144
/** A session that printed nothing for so long is calm, in milliseconds. */
const CALM_MS = 1000
/** A session that is not calm is printed after so long, in milliseconds. */
const BUSY_MS = 10_000
/** And after so long whatever it does: in a flood, and for a single letter. */
const SLOW_MS = 60_000
/** Never more often, in milliseconds. */
const LEAST_MS = 2000
/** Of a session that has printed less, in bytes, the next server draws the screen from the output; nothing of it may have been parsed yet. */
const LITTLE_BYTES = 16_384
/**
 * So much on the disk since it was kept is to be replaced by a print, in bytes: the next server reads it all before it shows anything. A
 * quarter of it was a print each five seconds in a flood, which everybody's keys waited for.
 */
export const MUCH_BYTES = 134_217_728
/** And not again before this has passed, in milliseconds. */
const MUCH_LEAST_MS = 250
/** More than this between two looks is a flood, in bytes: printing would hold it up. */
const FLOOD_BYTES = 65_536

type Source = Pick<Session, 'id' | 'start' | 'offset' | 'size'>

interface Parts {
  readonly session: Source
  readonly mirror: Pick<Mirror, 'print' | 'kept'>
  /** Up to here its output is from before. */
  readonly to: number
  /** What is kept of it already. */
  readonly kept: Kept | null
  readonly now: number
  resized(): void
  ended(goesOn: boolean): void
}

export class Followed implements Observer {
  readonly id: string
  readonly backlog = 0
  /** Those since what is kept. */
  readonly sizes: SizeChanges
  /** Its session is over, and nothing of it is to be left. */
  isOver = false
  readonly #parts: Parts
  /** Offset of what is kept, and when that was, or was tried. */
  #keptOffset: number
  #keptAt: number
  /** Offset of the whole print that is kept, as far as this server made it. */
  #base: number | null = null
  #seen: number
  #seenAt: number
  #isFlood = false

  constructor(parts: Parts) {
    const { session, kept, now } = parts
    this.#parts = parts
    this.id = session.id
    this.#keptOffset = kept?.offset ?? 0
    this.#keptAt = this.#seenAt = now
    this.#seen = session.offset
    // The first screen, which nobody keeps because it is empty, has a size.
    this.sizes = new SizeChanges(kept?.sizes ?? [{ offset: session.start, size: session.size }])
  }

  output(): void {
    // It is looked at now and then: output is not to cost anything here.
  }

  resized(size: Size): void {
    this.sizes.add({ offset: Math.max(this.#parts.session.offset, this.#parts.to), size })
    this.#parts.resized()
  }

  ended(_ending: Ending, goesOn: boolean): void {
    this.isOver = !goesOn
    this.#parts.ended(goesOn)
  }

  failed(): void {
    this.isOver = true
    this.#parts.ended(false)
  }

  look(now: number): void {
    const { offset } = this.#parts.session
    this.#isFlood = offset - this.#seen > FLOOD_BYTES
    if (offset !== this.#seen) this.#seenAt = now
    this.#seen = offset
  }

  /** How much has come since it was kept, in bytes. */
  get unkept(): number {
    return this.#seen - this.#keptOffset
  }

  /** Whether it may be printed again because there is too much. */
  mayPress(now: number): boolean {
    return now - this.#keptAt >= MUCH_LEAST_MS
  }

  /** Since when it would have been due at the latest, so that the one that waits longest is first; null: it is not. */
  dueSince(now: number): number | null {
    const since = now - this.#keptAt
    if (!this.hasNews || since < LEAST_MS || this.#seen < LITTLE_BYTES) return null
    const isEnough = this.#seen - this.#keptOffset >= ENOUGH_BYTES && !this.#isFlood
    const isCalm = now - this.#seenAt >= CALM_MS
    return since >= SLOW_MS || (isEnough && (isCalm || since >= BUSY_MS)) ? this.#keptAt : null
  }

  /** Whether anything has come since it was kept. */
  get hasNews(): boolean {
    const last = this.sizes.all.at(-1)
    return this.#parts.session.offset > this.#keptOffset || (last !== undefined && last.offset > this.#keptOffset)
  }

  print(now: number): Promise<Snapshot | null> {
    this.#keptAt = now
    return this.#parts.mirror.print(null, { base: this.#baseOfLines })
  }

  /** Whether a later one is kept. */
  isBehind({ offset }: Snapshot): boolean {
    return offset < this.#keptOffset
  }

  /** Whether the output that was written before it is of no use any more. */
  wasKept({ offset, base }: Snapshot): boolean {
    this.#keptOffset = offset
    if (base === undefined) this.#base = offset
    this.sizes.forget(offset)
    return this.#parts.mirror.kept(offset)
  }

  /** What is lines alone has one size. */
  get #baseOfLines(): number | null {
    const base = this.#base
    return base !== null && this.sizes.all.every(({ offset }) => offset < base) ? base : null
  }
}
