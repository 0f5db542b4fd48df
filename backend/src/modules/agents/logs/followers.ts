/** Who follows which agent's log now: so many at most, and nobody longer than they may. */
import { AppError } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import { concerns, type Revocation } from '../../identity/revocations.ts'
import type { AgentSignals, Found } from '../service.ts'

/** Logs that one user may follow at once: a few windows, and a script. Each holds a connection to the engine. */
export const FOLLOWED_PER_USER = 8

interface Follower {
  readonly caller: Caller
  readonly found: Found
  readonly over: AbortController
}

interface Parts {
  readonly revoked: Signal<Revocation>
  readonly signals: Pick<AgentSignals, 'deleted' | 'unshared'>
}

export class LogFollowers {
  readonly #followers = new Set<Follower>()
  #stopped = false

  constructor({ revoked, signals }: Parts) {
    revoked.on((revocation) => this.#endWhere(({ caller }) => concerns(revocation, caller)))
    signals.deleted.on(({ row }) => this.#endWhere(({ found }) => found.row.id === row.id))
    signals.unshared.on(({ row, userId }) =>
      this.#endWhere(
        ({ found, caller }) => found.row.id === row.id && caller.userId === userId && found.relation === 'sharee',
      ),
    )
  }

  /** How many there are now. */
  get size(): number {
    return this.#followers.size
  }

  /** Those who follow now. */
  callers(): Caller[] {
    return [...this.#followers].map(({ caller }) => caller)
  }

  /** The signal is aborted when the right to follow ends, or the server does. Call `leave` when it is over. */
  enter(caller: Caller, found: Found): { readonly signal: AbortSignal; leave(): void } {
    const own = [...this.#followers].filter((follower) => follower.caller.userId === caller.userId)
    if (own.length >= FOLLOWED_PER_USER)
      throw new AppError('TOO_MANY_REQUESTS', `At most ${FOLLOWED_PER_USER} logs can be followed at once. Close one.`)
    const follower: Follower = { caller, found, over: new AbortController() }
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
