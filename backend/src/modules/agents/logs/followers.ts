/** Who follows which agent's log now: a bounded number for each user, and nobody longer than they may. */
import { AppError } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import { type Arrival, type Loss, refusalOf } from '../../access/loss.ts'
import { Open } from '../../access/open.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Found } from '../service.ts'

/** Logs that one user may follow at once: a few windows, and a script. Each holds a connection to the engine. */
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

  /** How many there are now. */
  get size(): number {
    return this.#open.size
  }

  /** The callers who follow now. */
  callers(): Caller[] {
    return this.#open.callers()
  }

  /**
   * The signal is aborted when the right to follow ends, or the server does. Call `leave` when it is over. Throws
   * `TOO_MANY_REQUESTS`, and the answer to a request whose right was lost on the way.
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
