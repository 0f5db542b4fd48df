/** Whether a run waits for people: with a question of its CLI, or with one of another program. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../../../lib/time/clock.ts'
import { retryMs } from '../conduct/retry.ts'
import type { Held, RunRepository } from '../repository.ts'

export interface WaitDeps {
  readonly repository: Pick<RunRepository, 'asks'>
  readonly clock: Clock
  /** Called when the run begins to wait for people, or does not wait any more, after this was stored. */
  readonly waits: (isWaiting: boolean) => void
}

export class RunWait {
  readonly #deps: WaitDeps
  readonly #held: Held
  readonly #isWaiting: () => boolean
  #isStored: boolean
  #work: Promise<void> = Promise.resolve()

  /** `isStored`: whether an earlier backend has stored that the run waits. */
  constructor(deps: WaitDeps, held: Held, isWaiting: () => boolean, isStored: boolean) {
    this.#deps = deps
    this.#held = held
    this.#isWaiting = isWaiting
    this.#isStored = isStored
  }

  /** Whether it waits now. */
  get isWaiting(): boolean {
    return this.#isWaiting()
  }

  /** Stores whether it waits, after what was stored before. Rejects if the database refuses. */
  store(): Promise<void> {
    const stored = this.#work.then(() => this.#store())
    this.#work = stored.catch(() => undefined)
    return stored
  }

  /** The same, again while the database refuses, until nothing of the run is left here. */
  async keep(left: AbortSignal): Promise<void> {
    for (let tries = 0; !left.aborted; tries += 1)
      try {
        return await this.store()
      } catch {
        await delay(retryMs(tries), undefined, { signal: left, ref: false }).catch(() => undefined)
      }
  }

  async #store(): Promise<void> {
    const { isWaiting } = this
    if (isWaiting === this.#isStored) return
    const { repository, clock, waits } = this.#deps
    if (!(await repository.asks(this.#held, isWaiting, new Date(clock.now())))) return
    this.#isStored = isWaiting
    waits(isWaiting)
  }
}
