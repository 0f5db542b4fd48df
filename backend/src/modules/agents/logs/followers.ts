/** Who follows which agent's log now: so many at most, and nobody longer than they may. */
import { AppError } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Arrival, Taken } from '../../access/taken.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Found } from '../service.ts'

/** Logs that one user may follow at once: a few windows, and a script. Each holds a connection to the engine. */
export const FOLLOWED_PER_USER = 8

interface Follower {
  readonly found: Found
  readonly over: AbortController
}

export class LogFollowers {
  readonly #followers = new Set<Follower>()
  #stopped = false

  constructor(taken: Pick<Signal<Taken>, 'on'>) {
    taken.on((right) => this.#endWhere(({ found }) => right.from(found)))
  }

  /** How many there are now. */
  get size(): number {
    return this.#followers.size
  }

  /** Those who follow now. */
  callers(): Caller[] {
    return [...this.#followers].map(({ found }) => found.caller)
  }

  /**
   * The signal is aborted when the right to follow ends, or the server does. Call `leave` when it is over. Throws
   * `TOO_MANY_REQUESTS`, and what the request is answered whose right was taken on the way.
   */
  enter(found: Found, arrival: Arrival): { readonly signal: AbortSignal; leave(): void } {
    const lost = arrival.settle((right) => right.from(found))
    if (lost) throw lost.refusal()
    const own = [...this.#followers].filter((follower) => follower.found.caller.userId === found.caller.userId)
    if (own.length >= FOLLOWED_PER_USER)
      throw new AppError('TOO_MANY_REQUESTS', `At most ${FOLLOWED_PER_USER} logs can be followed at once. Close one.`)
    const follower: Follower = { found, over: new AbortController() }
    this.#followers.add(follower)
    if (this.#stopped) follower.over.abort()
    return {
      signal: follower.over.signal,
      leave: () => {
        this.#followers.delete(follower)
        follower.over.abort()
      },
    }
  }

  stop(): void {
    this.#stopped = true
    this.#endWhere(() => true)
  }

  #endWhere(matches: (follower: Follower) => boolean): void {
    for (const follower of [...this.#followers]) if (matches(follower)) follower.over.abort()
  }
}
