import type { Schedule } from './schedule.ts'

/**
 * Longest silence of a live server, in milliseconds. The server sends every 15 s, and two of these messages may be
 * lost.
 */
export const SILENCE_MS = 35_000
/**
 * Shorter limit when the connection is in doubt, in milliseconds: the computer has slept, or the user returns to the
 * page.
 */
export const DOUBTFUL_MS = 20_000
/** How often to check for silence, in milliseconds. */
export const LOOK_EVERY_MS = 3_000
/** Time to process messages that arrived while the page stood still, before the silence counts, in milliseconds. */
export const LET_IN_MS = 500
/** How long messages may still arrive from a network that is gone, in milliseconds. */
export const ON_ITS_WAY_MS = 1_000
/**
 * Slowest line to allow for, in bytes per millisecond. A snapshot counts as silence until all of it has arrived, so it
 * extends the limit.
 */
export const SLOWEST_BYTES_PER_MS = 32

export interface Heard {
  /** Announced bytes that have not arrived yet. */
  awaited: () => number
  /** True if the browser reports that the network is gone and no message proves otherwise. False once that is over. */
  onDoubt: (isInDoubt: boolean) => void
  /** The connection is lost. */
  onLost: () => void
  schedule: Schedule
  /**
   * The wall clock, in milliseconds. It goes on while the computer sleeps and timers stop, but the user may change it.
   */
  now: () => number
}

/**
 * Detects a dead connection by the server's silence; the browser itself may take minutes. A clock set forward looks
 * like sleep, and at most costs a reconnect.
 */
export class Hearing {
  readonly #options: Heard
  #heardAt: number
  #lookedAt: number
  /** Checks since the last message. They count even if the clock was set back. */
  #looks = 0
  #doubtedAt: number | null = null
  #cancelLook: () => void = () => undefined
  #cancelLost: (() => void) | null = null

  constructor(options: Heard) {
    this.#options = options
    this.#heardAt = this.#lookedAt = options.now()
    this.#lookLater()
  }

  heard(): void {
    this.#heardAt = this.#options.now()
    this.#looks = 0
    if (this.#doubtedAt !== null && Math.abs(this.#heardAt - this.#doubtedAt) > ON_ITS_WAY_MS) this.#doubt(null)
  }

  /** Checks at once, for instance when the user returns to the page. */
  check(): void {
    if (this.#isSilentFor(DOUBTFUL_MS)) this.#loseSoon()
  }

  /**
   * The browser reports that the network is gone. That may be wrong for a server on the same machine, so the connection
   * stays.
   */
  networkLost(): void {
    this.#doubt(this.#options.now())
  }

  /** The network may be another one now. A connection without a message since `networkLost` counts as lost. */
  networkBack(): void {
    if (this.#doubtedAt === null) this.check()
    else this.#options.onLost()
  }

  stop(): void {
    this.#cancelLook()
    this.#cancelLost?.()
    this.#doubt(null)
  }

  #doubt(at: number | null): void {
    const wasInDoubt = this.#doubtedAt !== null
    this.#doubtedAt = at
    if (wasInDoubt !== (at !== null)) this.#options.onDoubt(at !== null)
  }

  #lookLater(): void {
    this.#cancelLook = this.#options.schedule(() => this.#look(), LOOK_EVERY_MS)
  }

  /**
   * Browsers run this once a minute in a hidden tab. That gap is no sign of a loss: messages still arrive meanwhile.
   */
  #look(): void {
    const now = this.#options.now()
    const hasSlept = now - this.#lookedAt > DOUBTFUL_MS
    this.#lookedAt = now
    this.#looks += 1
    if (this.#isSilentFor(hasSlept ? DOUBTFUL_MS : SILENCE_MS)) this.#loseSoon()
    this.#lookLater()
  }

  #isSilentFor(ms: number): boolean {
    const silentMs = Math.max(this.#options.now() - this.#heardAt, (this.#looks - 1) * LOOK_EVERY_MS)
    return silentMs > ms + this.#options.awaited() / SLOWEST_BYTES_PER_MS
  }

  #loseSoon(): void {
    this.#cancelLost ??= this.#options.schedule(() => {
      this.#cancelLost = null
      if (this.#isSilentFor(DOUBTFUL_MS)) this.#options.onLost()
    }, LET_IN_MS)
  }
}
