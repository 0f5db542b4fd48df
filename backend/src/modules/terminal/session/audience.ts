/** Everybody who looks at a session: who sets the pace, and how somebody who cannot follow catches up. */
import { type RecordedParts, WINDOW_BYTES } from '@slipway/protocol'
import { type Ending, takesAccess } from '../../sessions/ending.ts'
import type { Snapshot } from '../screen/snapshot.ts'
import type { OutputLog } from '../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from './viewer.ts'

/** How long one viewer may hold the program up without a word of having caught up, in milliseconds. */
export const STALL_MS = 1000
/**
 * Who is left behind again has half as long as the last time, down to this, in milliseconds: the others have waited for them. It has to
 * be above the 100 ms within which a client says that it has parsed everything.
 */
export const STALL_MIN_MS = 125
/** Who has followed for so long after having been left behind is trusted like anybody again, in milliseconds. */
export const FOLLOWED_MS = 10_000
/** Who was left behind is shown the screen again when this much of what they had been sent is left, in bytes. */
const CAUGHT_UP_BYTES = 16_384
/** Lines above the screen that somebody is shown who only looks on. */
const WATCHED_LINES = 1000
/** A viewer that was left behind gets less ahead from then on, down to this, in bytes: what is on its way is what they wait for. */
const WINDOW_MIN_BYTES = 32_768
/** Who takes a whole window within this time gets twice as much again, in milliseconds. */
const QUICK_MS = 100

/** Lines above the screen that somebody is shown; null: all there are, where the session is theirs. */
export const linesFor = (isHolder: boolean): number | null => (isHolder ? null : WATCHED_LINES)

interface Seat {
  readonly viewer: Viewer
  /** Whether the program waits for them. */
  readonly mayHoldUp: boolean
  window: number
  /** Since when it holds the program up, in milliseconds, and until when it may; null: it does not. */
  full: { readonly since: number; readonly stall: NodeJS.Timeout } | null
  /** How long it may do so the next time, and from when on it has followed, in milliseconds. */
  stallMs: number
  followsSince: number
  /** What it is not sent: it waits until it has caught up, or for the screen. */
  behind: 'waiting' | 'printing' | null
}

interface Parts {
  readonly log: OutputLog
  /** The screen as it is; null: nobody knows. */
  print(lines: number | null): Promise<Snapshot | null>
  size(): Size
  /** Somebody left the others, or cannot follow: the pace may have changed. */
  changed(): void
}

export class Audience {
  readonly #parts: Parts
  readonly #seats = new Map<Viewer, Seat>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  get size(): number {
    return this.#seats.size
  }

  has(viewer: Viewer): boolean {
    return this.#seats.has(viewer)
  }

  /** Who may not hold the program up is left behind as soon as they do not follow. */
  add(viewer: Viewer, mayHoldUp: boolean): void {
    const fresh = { window: WINDOW_BYTES, full: null, stallMs: STALL_MS, followsSince: 0, behind: null }
    this.#seats.set(viewer, { viewer, mayHoldUp, ...fresh })
  }

  remove(viewer: Viewer): boolean {
    const seat = this.#seats.get(viewer)
    if (seat) this.#letGo(seat)
    return this.#seats.delete(viewer)
  }

  /** Those leave; who of them was left behind still gets the screen as it is now, unless they may not see it any more. */
  dismiss(ending: Ending, who: (viewer: Viewer) => boolean = () => true): Viewer[] {
    const seats = [...this.#seats.values()].filter(({ viewer }) => who(viewer))
    for (const seat of seats) {
      const { viewer, behind } = seat
      this.remove(viewer)
      if (behind === null || takesAccess(ending)) viewer.ended(ending)
      else void this.#show(seat).finally(() => viewer.ended(ending))
    }
    return seats.map(({ viewer }) => viewer)
  }

  output(chunk: Uint8Array): void {
    for (const { viewer, behind } of this.#seats.values()) if (behind === null) viewer.output(chunk)
  }

  resized(size: Size): void {
    for (const { viewer } of this.#seats.values()) viewer.resized(size)
  }

  recorded(parts: RecordedParts): void {
    for (const { viewer } of this.#seats.values()) viewer.recorded(parts)
  }

  drained(): void {
    for (const { viewer } of this.#seats.values()) viewer.drained()
  }

  /** Bytes that the slowest of those who follow has not consumed. */
  get backlog(): number {
    let most = 0
    for (const { viewer, behind } of this.#seats.values()) if (behind === null) most = Math.max(most, viewer.backlog)
    return most
  }

  /** Whether the program has to wait for somebody. To be asked after each output, and whenever somebody has consumed something. */
  holdsUp(): boolean {
    const now = performance.now()
    let isFull = false
    for (const seat of this.#seats.values()) {
      if (seat.behind !== null) this.#catchUp(seat)
      else isFull = this.#isHeldUpBy(seat, now) || isFull
    }
    return isFull
  }

  /** Reading goes on only when it is below half of its window, so that it does not flutter. */
  #isHeldUpBy(seat: Seat, now: number): boolean {
    const { backlog } = seat.viewer
    if (seat.full === null) {
      if (backlog <= seat.window) return false
      if (!seat.mayHoldUp) return this.#leaveBehind(seat)
      if (now - seat.followsSince >= FOLLOWED_MS) seat.stallMs = STALL_MS
      seat.full = { since: now, stall: setTimeout(() => this.#stalled(seat), seat.stallMs) }
      return true
    }
    if (backlog > seat.window / 2) return true
    if (now - seat.full.since < QUICK_MS) seat.window = Math.min(seat.window * 2, WINDOW_BYTES)
    this.#letGo(seat)
    return false
  }

  #stalled(seat: Seat): void {
    seat.stallMs = Math.max(seat.stallMs / 2, STALL_MIN_MS)
    this.#leaveBehind(seat)
    this.#parts.changed()
  }

  #leaveBehind(seat: Seat): false {
    this.#letGo(seat)
    seat.window = Math.max(seat.window / 4, WINDOW_MIN_BYTES)
    seat.behind = 'waiting'
    return false
  }

  /** The program waits for it no longer. */
  #letGo(seat: Seat): void {
    if (seat.full) clearTimeout(seat.full.stall)
    seat.full = null
  }

  #catchUp(seat: Seat): void {
    if (seat.behind !== 'waiting' || seat.viewer.backlog > CAUGHT_UP_BYTES) return
    seat.behind = 'printing'
    void this.#show(seat, () => this.#seats.get(seat.viewer) === seat).then(() => {
      seat.behind = null
      seat.followsSince = performance.now()
      this.#parts.changed()
    })
  }

  /** Shows the screen and what came after it, unless they have left meanwhile. */
  async #show({ viewer, mayHoldUp }: Seat, isThere: () => boolean = () => true): Promise<void> {
    const { log, print, size } = this.#parts
    const snapshot = await print(linesFor(mayHoldUp))
    if (!isThere()) return
    const missed = snapshot && log.since(snapshot.offset)
    // Without a mirror there is only the end of what was printed.
    viewer.snapshot(snapshot && missed ? snapshot : { offset: log.start, size: size(), data: new Uint8Array() })
    viewer.output(missed ?? log.since(log.start)!)
  }
}
