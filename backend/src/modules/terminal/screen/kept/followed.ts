/** Decides when the screen of one session is kept again. */
import type { Ending } from '../../../sessions/ending.ts'
import type { Kept, Mirror } from '../mirror/mirror.ts'
import type { Snapshot } from '../snapshot.ts'
import { SizeChanges } from '../mirror/sizes.ts'
import type { Observer } from '../../session/viewers/observers.ts'
import type { Session } from '../../session/session.ts'
import type { Size } from '@slipway/emulator'

/** So much new output is worth a print, in bytes. This is far below the megabyte that the container keeps. */
export const ENOUGH_BYTES = 262_144
/** A session that prints nothing for this long is calm, in milliseconds. */
const CALM_MS = 1000
/** A session with enough output that is not calm is printed after this time, in milliseconds. */
const BUSY_MS = 10_000
/** After this time any session with new output is printed, in milliseconds: in a flood, and for a single letter. */
const SLOW_MS = 60_000
/** Shortest time between two prints of a session, in milliseconds. */
const LEAST_MS = 2000
/**
 * If a session has printed less than this in all, the next server draws its screen from the output, in bytes. The
 * thread may not even have parsed it yet.
 */
const LITTLE_BYTES = 16_384
/**
 * If a journal grows beyond this, in bytes, a print replaces it, because the next server reads all of it before it
 * shows anything. A quarter of this caused a print every five seconds in a flood, which delayed all users' keys.
 */
export const MUCH_BYTES = 134_217_728
/** Shortest time between two such prints, in milliseconds. */
const MUCH_LEAST_MS = 250
/** More output than this between two looks is a flood, in bytes. A print would slow it down. */
const FLOOD_BYTES = 65_536

type Source = Pick<Session, 'id' | 'start' | 'offset' | 'size'>

interface Parts {
  readonly session: Source
  readonly mirror: Pick<Mirror, 'print' | 'kept'>
  /** Up to this offset the output is from before this server. */
  readonly to: number
  /** The screen that was kept last. */
  readonly kept: Kept | null
  readonly now: number
  resized(): void
  ended(goesOn: boolean): void
}

export class Followed implements Observer {
  readonly id: string
  readonly backlog = 0
  /** The changes of size since the kept screen. */
  readonly sizes: SizeChanges
  /** Its session has ended, so nothing of it may be left on the disk. */
  isOver = false
  readonly #parts: Parts
  /** Offset of the kept screen, and the time of the last print. */
  #keptOffset: number
  #keptAt: number
  /** Offset of the whole print that is kept; null: this server has made none. */
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
    // The first screen is empty and is not kept, but it has a size.
    this.sizes = new SizeChanges(kept?.sizes ?? [{ offset: session.start, size: session.size }])
  }

  output(): void {
    // Output must cost nothing here. The keeper looks at the offset instead.
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

  /** Output since the kept screen, in bytes. */
  get unkept(): number {
    return this.#seen - this.#keptOffset
  }

  /** Whether it may be printed again already because its journal is too large. */
  mayPress(now: number): boolean {
    return now - this.#keptAt >= MUCH_LEAST_MS
  }

  /** The time of its last print, so that the session that waits longest comes first; null: it is not due. */
  dueSince(now: number): number | null {
    const since = now - this.#keptAt
    if (!this.hasNews || since < LEAST_MS || this.#seen < LITTLE_BYTES) return null
    const isEnough = this.#seen - this.#keptOffset >= ENOUGH_BYTES && !this.#isFlood
    const isCalm = now - this.#seenAt >= CALM_MS
    return since >= SLOW_MS || (isEnough && (isCalm || since >= BUSY_MS)) ? this.#keptAt : null
  }

  /** Whether there is output or a change of size since the kept screen. */
  get hasNews(): boolean {
    const last = this.sizes.all.at(-1)
    return this.#parts.session.offset > this.#keptOffset || (last !== undefined && last.offset > this.#keptOffset)
  }

  print(now: number): Promise<Snapshot | null> {
    this.#keptAt = now
    return this.#parts.mirror.print(null, { base: this.#baseOfLines })
  }

  /** Whether a later screen is kept already. */
  isBehind({ offset }: Snapshot): boolean {
    return offset < this.#keptOffset
  }

  /** Notes that this screen was kept. Returns whether the output before it may be removed from the disk. */
  wasKept({ offset, base }: Snapshot): boolean {
    this.#keptOffset = offset
    if (base === undefined) this.#base = offset
    this.sizes.forget(offset)
    return this.#parts.mirror.kept(offset)
  }

  /** Base for a print of lines alone; null if the size has changed, because such a print has only one size. */
  get #baseOfLines(): number | null {
    const base = this.#base
    return base !== null && this.sizes.all.every(({ offset }) => offset < base) ? base : null
  }
}
