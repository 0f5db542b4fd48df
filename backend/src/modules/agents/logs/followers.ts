/** The callers who follow logs now. Each user may follow a bounded number, and only while they have the right to. */
import { AppError } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import { type Arrival, type Loss, refusalOf } from '../../access/loss.ts'
import { Open } from '../../access/open.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Found } from '../service.ts'

/**
 * Logs that one user may follow at the same time: a few windows and a script. Each holds a connection to the engine.
 */
export const FOLLOWED_PER_USER = 8

interface Follower extends Found {
  readonly over: AbortController
}

export class LogFollowers {
  readonly #open: Open<Follower>
  #stopped = false

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>) {
    this.#open = new Open(losses)
  }

  /** Number of followed logs. */
  get size(): number {
    return this.#open.size
  }

  /** The callers who follow a log now. */
  callers(): Caller[] {
    return this.#open.callers()
  }

  /**
   * The signal is aborted when the right to follow ends, or when the server stops. Call `leave` when the stream ends.
   * Throws `TOO_MANY_REQUESTS`, and the refusal for a caller who lost the right meanwhile.
   */
  enter(found: Found, arrival: Arrival): { readonly signal: AbortSignal; leave(): void } {
    const own = this.#open.all().filter(({ caller }) => caller.userId === found.caller.userId)
    const over = new AbortController()
    const follower: Follower = { ...found, over }
    const lost = this.#open.enter(follower, () => over.abort(), arrival)
    if (lost) throw refusalOf(lost)
    const leave = (): void => {
      this.#open.leave(follower)
      over.abort()
    }
    if (own.length >= FOLLOWED_PER_USER) {
      leave()
      throw new AppError('TOO_MANY_REQUESTS', `At most ${FOLLOWED_PER_USER} logs can be followed at once. Close one.`)
    }
    if (this.#stopped) over.abort()
    return { signal: over.signal, leave }
  }

  stop(): void {
    this.#stopped = true
    for (const { over } of this.#open.all()) over.abort()
  }
}
