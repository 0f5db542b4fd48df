import type { Schedule } from './schedule.ts'

/** Longest silence of a server that is there, in milliseconds: it says something every 15 s, and two of these may be missed. */
export const SILENCE_MS = 35_000
/** The same where there is reason for doubt, because the computer has slept or somebody comes back to the page. */
export const DOUBTFUL_MS = 20_000
/** How often is looked, in milliseconds. */
export const LOOK_EVERY_MS = 3_000
/** What came while the page stood still is heard before it is missed, in milliseconds. */
export const LET_IN_MS = 500
/** For so long what was on its way may still come from a network that is gone, in milliseconds. */
export const ON_ITS_WAY_MS = 1_000
/** Nothing is heard of a screen before all of it is there, so on a slow line it is given time, in bytes for each millisecond. */
export const SLOWEST_BYTES_PER_MS = 32

export interface Heard {
  /** Bytes that were announced and have not come. */
  awaited: () => number
  /** The network is said to be gone, and nothing proves the contrary; or that is over. */
  onDoubt: (isInDoubt: boolean) => void
  /** Nobody is there any more. */
  onLost: () => void
  schedule: Schedule
  /** The wall clock, in milliseconds. It goes on while the computer sleeps and timers do not, but it may be set. */
  now: () => number
}

/**
 * Finds out that the other end is gone without a word; the browser itself may notice only after minutes. A clock that is set forward
 * looks like sleep, and costs a new connection at most.
 */
export class Hearing {
  readonly #options: Heard
  #heardAt: number
  #lookedAt: number
  /** Since something was heard. They count where the clock was set back. */
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

  /** There is reason to look. */
  check(): void {
    if (this.#isSilentFor(DOUBTFUL_MS)) this.#loseSoon()
  }

  /** So the browser says. It may be wrong about a server on the same machine, so that nothing is given up. */
  networkLost(): void {
    this.#doubt(this.#options.now())
  }

  /** Of another network perhaps: what has not been heard of since is not waited for. */
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

  /** In a tab that nobody sees this comes once a minute, which is no sign of anything: what came meanwhile was heard. */
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
