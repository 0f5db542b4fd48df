/** The callers who follow something now. Each user may follow a bounded number, and only while they have the right to. */
import { AppError } from '../../lib/errors.ts'
import type { Signal } from '../../lib/emitter.ts'
import type { Caller } from '../identity/caller.ts'
import { type Arrival, type Holding, type Loss, refusalOf } from './loss.ts'
import { Open } from './open.ts'

/** The right by which a caller follows. */
export interface Following extends Holding {
  readonly caller: Caller
}

interface Follower extends Following {
  readonly over: AbortController
}

/** How much one user may follow. */
export interface FollowLimit {
  readonly perUser: number
  /** What is followed, in the plural, for the refusal. */
  readonly what: string
}

export class Followers {
  readonly #open: Open<Follower>
  readonly #limit: FollowLimit
  #stopped = false

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>, limit: FollowLimit) {
    this.#open = new Open(losses)
    this.#limit = limit
  }

  /** How much is followed. */
  get size(): number {
    return this.#open.size
  }

  /** The callers who follow something now. */
  callers(): Caller[] {
    return this.#open.callers()
  }

  /** Call it before looking up anything about a caller; see {@link Open}. */
  arrive(): Arrival {
    return this.#open.arrive()
  }

  /**
   * The signal is aborted when the right to follow ends, or when the server stops. Call `leave` when the stream ends.
   * Throws `TOO_MANY_REQUESTS`, and the refusal for a caller who lost the right meanwhile.
   */
  enter({ caller, row, relation }: Following, arrival: Arrival): { readonly signal: AbortSignal; leave(): void } {
    const { perUser, what } = this.#limit
    const own = this.#open.all().filter((other) => other.caller.userId === caller.userId)
    const over = new AbortController()
    const follower: Follower = { caller, row, relation, over }
    const lost = this.#open.enter(follower, () => over.abort(), arrival)
    if (lost) throw refusalOf(lost)
    const leave = (): void => {
      this.#open.leave(follower)
      over.abort()
    }
    if (own.length >= perUser) {
      leave()
      throw new AppError('TOO_MANY_REQUESTS', `At most ${perUser} ${what} can be followed at once. Close one.`)
    }
    if (this.#stopped) over.abort()
    return { signal: over.signal, leave }
  }

  stop(): void {
    this.#stopped = true
    for (const { over } of this.#open.all()) over.abort()
  }
}
