/** The times after which a run is ended: its own, that of its first line, and that of its exit after the last answer. */
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { Outcome } from '../end.ts'

/** Longest time until the first line of output, in seconds. OpenCode's first line follows the model's first answer. */
export const FIRST_EVENT_SECONDS = 120
/** How long a CLI may take to exit after its last answer, in seconds. */
export const EXIT_SECONDS = 15

interface Parts {
  readonly timeoutSeconds: number
  /** How long it has run already, in milliseconds. */
  readonly ranMs: number
  /** Called at most once for each time that is over. */
  readonly over: (outcome: Outcome) => void
}

export class Deadlines {
  readonly #parts: Parts
  readonly #timers = new Set<NodeJS.Timeout>()
  #first: NodeJS.Timeout | null = null
  #exit: NodeJS.Timeout | null = null
  /** The time limit of the run; null while it does not count. */
  #whole: NodeJS.Timeout | null = null
  /** What is left of it, in milliseconds, and since when it counts. */
  #leftMs: number
  #since = 0
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
    this.#leftMs = parts.timeoutSeconds * SECOND_MS - parts.ranMs
  }

  start({ hasBegun, isOver }: { readonly hasBegun: boolean; readonly isOver: boolean }): void {
    this.count()
    const silent = { kind: 'no_first_event', seconds: FIRST_EVENT_SECONDS } as const
    if (!hasBegun) this.#first = this.#after(FIRST_EVENT_SECONDS * SECOND_MS, silent)
    if (isOver) this.waitForExit(true)
  }

  /** The time limit counts from now on. Repeatable. */
  count(): void {
    if (this.#whole !== null || this.#isStopped) return
    const { timeoutSeconds } = this.#parts
    this.#since = performance.now()
    this.#whole = this.#after(this.#leftMs, { kind: 'timed_out', seconds: timeoutSeconds })
  }

  /** The time limit does not count, because the run waits for people. Repeatable. */
  pause(): void {
    if (this.#whole === null) return
    this.#forget(this.#whole)
    this.#whole = null
    this.#leftMs -= performance.now() - this.#since
  }

  /** How long the run has run, in milliseconds, without the time in which the limit did not count. */
  get ranMs(): number {
    const leftMs = this.#whole === null ? this.#leftMs : this.#leftMs - (performance.now() - this.#since)
    return Math.max(0, Math.round(this.#parts.timeoutSeconds * SECOND_MS - leftMs))
  }

  /** A line has come. Answers whether it is the first one. */
  begun(): boolean {
    const isFirst = this.#first !== null
    this.#forget(this.#first)
    this.#first = null
    return isFirst
  }

  /** Starts the time in which the CLI should exit, and starts it anew if the CLI has said something. */
  waitForExit(hasSpoken: boolean): void {
    if (this.#exit !== null && !hasSpoken) return
    this.#forget(this.#exit)
    this.#exit = this.#after(EXIT_SECONDS * SECOND_MS, { kind: 'finished_without_exit' })
  }

  /** Another turn has begun, for example when a command in the background has ended. */
  goesOn(): void {
    this.#forget(this.#exit)
    this.#exit = null
  }

  stop(): void {
    this.pause()
    this.#isStopped = true
    for (const timer of this.#timers) clearTimeout(timer)
  }

  #forget(timer: NodeJS.Timeout | null): void {
    if (timer === null) return
    clearTimeout(timer)
    this.#timers.delete(timer)
  }

  #after(ms: number, outcome: Outcome): NodeJS.Timeout {
    const timer = setTimeout(() => this.#parts.over(outcome), Math.max(0, ms))
    timer.unref()
    this.#timers.add(timer)
    return timer
  }
}
