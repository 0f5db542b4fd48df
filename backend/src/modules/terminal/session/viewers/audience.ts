/** All viewers of a session: which of them set the pace, and how a viewer that cannot follow catches up. */
import { type RecordedParts, WINDOW_BYTES } from '@slipway/protocol'
import { type Ending, takesAccess } from '../../../sessions/ending.ts'
import type { Snapshot } from '../../screen/snapshot.ts'
import type { OutputLog } from '../../../sessions/output-log.ts'
import type { Size } from '@slipway/emulator'
import type { Viewer } from './viewer.ts'

/** How long one viewer may pause the program without reporting that it has caught up, in milliseconds. */
export const STALL_MS = 1000
/**
 * Lower bound of a viewer's stall time, in milliseconds. Each time that a viewer is left behind, its next stall time
 * halves, because the others have waited for it. The bound has to exceed the 100 ms within which a client acknowledges
 * that it has parsed everything.
 */
export const STALL_MIN_MS = 125
/** A viewer that was left behind and has then followed for this long gets {@link STALL_MS} again, in milliseconds. */
export const FOLLOWED_MS = 10_000
/** A viewer that was left behind gets the screen once its backlog is no larger than this, in bytes. */
const CAUGHT_UP_BYTES = 16_384
/** Lines of scrollback that a guest gets. */
const WATCHED_LINES = 1000
/**
 * Lower bound of a viewer's window, in bytes. A viewer that was left behind gets less ahead, because it has to wait for
 * everything that is under way.
 */
const WINDOW_MIN_BYTES = 32_768
/** A viewer that consumes a whole window within this time gets its window doubled, in milliseconds. */
const QUICK_MS = 100

/** Lines of scrollback that a viewer gets; null: all of them, for the session's user. */
export const linesFor = (isHolder: boolean): number | null => (isHolder ? null : WATCHED_LINES)

interface Seat {
  readonly viewer: Viewer
  /** Whether the program waits for this viewer. */
  readonly mayHoldUp: boolean
  window: number
  /**
   * Set while this viewer pauses the program: since when, in milliseconds, and the timer that limits it; null: it does
   * not.
   */
  full: { readonly since: number; readonly stall: NodeJS.Timeout } | null
  /** How long it may pause the program the next time, and since when it follows, in milliseconds. */
  stallMs: number
  followsSince: number
  /**
   * Not null: it gets no output, because it still has to catch up (`waiting`), or because its screen is being printed.
   */
  behind: 'waiting' | 'printing' | null
}

interface Parts {
  readonly log: OutputLog
  /** Prints the current screen; null: it is not known. */
  print(lines: number | null): Promise<Snapshot | null>
  size(): Size
  /** Called when a viewer has left or was left behind: the pace may have changed. */
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

  /** A viewer that must not pause the program (`mayHoldUp` is false) is left behind as soon as it does not follow. */
  add(viewer: Viewer, mayHoldUp: boolean): void {
    const fresh = { window: WINDOW_BYTES, full: null, stallMs: STALL_MS, followsSince: 0, behind: null }
    this.#seats.set(viewer, { viewer, mayHoldUp, ...fresh })
  }

  remove(viewer: Viewer): boolean {
    const seat = this.#seats.get(viewer)
    if (seat) this.#letGo(seat)
    return this.#seats.delete(viewer)
  }

  /** Removes these viewers. A viewer that was left behind still gets the current screen, unless it has lost access. */
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

  /** Backlog of the slowest viewer that follows, in bytes. */
  get backlog(): number {
    let most = 0
    for (const { viewer, behind } of this.#seats.values()) if (behind === null) most = Math.max(most, viewer.backlog)
    return most
  }

  /**
   * Whether the program has to wait for a viewer. Call it after each output, and whenever a viewer has consumed bytes.
   */
  holdsUp(): boolean {
    const now = performance.now()
    let isFull = false
    for (const seat of this.#seats.values()) {
      if (seat.behind !== null) this.#catchUp(seat)
      else isFull = this.#isHeldUpBy(seat, now) || isFull
    }
    return isFull
  }

  /** Reading resumes only once the backlog is below half of the window, so that it does not flutter. */
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

  /** The program no longer waits for this viewer. */
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

  /** Sends the screen and the output after it, unless the viewer has left meanwhile. */
  async #show({ viewer, mayHoldUp }: Seat, isThere: () => boolean = () => true): Promise<void> {
    const { log, print, size } = this.#parts
    const snapshot = await print(linesFor(mayHoldUp))
    if (!isThere()) return
    const missed = snapshot && log.since(snapshot.offset)
    // Without a mirror, only the end of the output is left.
    viewer.snapshot(snapshot && missed ? snapshot : { offset: log.start, size: size(), data: new Uint8Array() })
    viewer.output(missed ?? log.since(log.start)!)
  }
}
