/**
 * Keeps apart what is done with one worktree: a run takes it, it is looked at after a run, a user removes it. And the
 * worktrees of one repository that users take back.
 */
import { SECOND_MS } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'
import { QueueFullError, Semaphore } from '../../lib/semaphore.ts'

/** Longest time that a run or a user waits for a worktree that is held, in milliseconds. */
const WAIT_MS = 60 * SECOND_MS
/** How many may wait for one worktree. The next one is refused like one that has waited too long. */
const WAITING_MAX = 100

/** One worktree that is held. */
interface Held {
  readonly turns: Semaphore
  /** The holder, and those that wait. */
  count: number
}

export class Holds {
  readonly #waitMs: number
  readonly #why: string
  readonly #held = new Map<string, Held>()

  /** `why` is said to those that waited too long. */
  constructor({ waitMs = WAIT_MS, why = 'The worktree is being made or removed' } = {}) {
    this.#waitMs = waitMs
    this.#why = why
  }

  /** Works with a worktree that nothing else holds. Otherwise it answers null at once. */
  async ifFree<T>(id: string, work: () => Promise<T>): Promise<T | null> {
    return this.#held.has(id) ? null : this.#run(id, work)
  }

  /** Works with a worktree when it is free. Throws `WORKTREE_IN_USE` if that takes longer than {@link WAIT_MS}. */
  async whenFree<T>(id: string, work: () => Promise<T>): Promise<T> {
    const turn = { hasBegun: false }
    const begin = (): Promise<T> => {
      turn.hasBegun = true
      return work()
    }
    try {
      return await this.#run(id, begin, AbortSignal.timeout(this.#waitMs))
    } catch (error) {
      if (turn.hasBegun || !(error instanceof QueueFullError || isTooLate(error))) throw error
      throw new AppError('WORKTREE_IN_USE', `${this.#why}. Try again in a moment.`, { cause: error })
    }
  }

  async #run<T>(id: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const held = this.#held.get(id) ?? { turns: new Semaphore(1, WAITING_MAX), count: 0 }
    this.#held.set(id, held)
    held.count += 1
    try {
      return await held.turns.run(work, signal)
    } finally {
      held.count -= 1
      if (held.count === 0) this.#held.delete(id)
    }
  }
}

const isTooLate = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof DOMException && error.cause.name === 'TimeoutError'
