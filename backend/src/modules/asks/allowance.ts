/** How often the programs of each agent may do something: so many times at once, and then so many in a minute. */
import { type Clock, MINUTE_MS } from '../../lib/time/clock.ts'
import { AppError } from '../../lib/errors.ts'

interface Used {
  count: number
  at: number
}

export class Allowance {
  readonly #perMinute: number
  readonly #what: string
  readonly #clock: Clock
  /** As many as there are agents. */
  readonly #used = new Map<string, Used>()

  /** `what` is what they do, in the plural, for the refusal. */
  constructor(perMinute: number, what: string, clock: Clock) {
    this.#perMinute = perMinute
    this.#what = what
    this.#clock = clock
  }

  /** Counts one. Throws `TOO_MANY_REQUESTS`. */
  take(agentId: string): void {
    const at = this.#clock.now()
    const { count, at: before } = this.#used.get(agentId) ?? { count: 0, at }
    const left = Math.max(0, count - (Math.max(0, at - before) * this.#perMinute) / MINUTE_MS)
    const isTooMany = left + 1 > this.#perMinute
    this.#used.set(agentId, { count: isTooMany ? left : left + 1, at })
    if (isTooMany)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `The programs of an agent may send ${this.#perMinute} ${this.#what} in a minute.`,
      )
  }

  forget(agentId: string): void {
    this.#used.delete(agentId)
  }
}
