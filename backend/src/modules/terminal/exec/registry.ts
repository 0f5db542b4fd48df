/** Programs that run without a terminal: how many one person may have, and the way to them when a right is taken. */
import { EXECS_PER_USER } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import type { Ending } from '../ending.ts'
import { type Arrival, mayBePersonal, type Missed, type Wanted } from '../registry.ts'

/** What is told to those who have too many: a program that ends makes room at any moment. */
const RETRY_AFTER_SECONDS = 5

/** A program on its way, running, or being ended. */
export interface Run extends Wanted {
  /** As a terminal's. */
  personal: boolean
  /** Settled when it has to end for a reason from outside. */
  readonly ended: Promise<Ending>
  /** The same for those who cannot wait. */
  readonly ending: () => Ending | null
}

interface Entry {
  readonly run: Run
  readonly end: (ending: Ending) => void
}

export class ExecRegistry {
  readonly #entries = new Map<string, Entry>()
  #stopping: Ending | null = null
  #freed: () => void = () => undefined

  /** `endings` tells what has to end. */
  constructor(endings: Signal<Missed>) {
    endings.on(({ matches, ending }) => {
      for (const { run, end } of [...this.#entries.values()]) if (matches(run)) end(ending)
    })
  }

  /** Throws `TOO_MANY_REQUESTS`. Look at `ending()`: it may have to end before it began. */
  admit(wanted: Wanted, arrival: Arrival): Run {
    const own = [...this.#entries.values()].filter(({ run }) => run.caller.userId === wanted.caller.userId)
    if (own.length >= EXECS_PER_USER) {
      const message = `You have ${EXECS_PER_USER} programs running, which is the most there may be. Wait for one to end.`
      throw new AppError('TOO_MANY_REQUESTS', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })
    }
    let ending: Ending | null = null
    const { promise, resolve } = Promise.withResolvers<Ending>()
    const end = (because: Ending): void => {
      ending ??= because
      resolve(ending)
    }
    const run: Run = { ...wanted, personal: mayBePersonal(wanted), ended: promise, ending: () => ending }
    const before = this.#stopping ?? arrival.settle(({ matches }) => matches(run))?.ending
    if (before) end(before)
    this.#entries.set(run.sessionId, { run, end })
    return run
  }

  /** Call when none of its processes is left. */
  release({ sessionId }: Run): void {
    this.#entries.delete(sessionId)
    this.#freed()
  }

  /** Those whose programs run, or are being ended. */
  callers(): Caller[] {
    return [...this.#entries.values()].map(({ run }) => run.caller)
  }

  /** Whose processes are accounted for: those that run, and those being ended. */
  attended(agentId: string): string[] {
    return [...this.#entries.values()].filter(({ run }) => run.row.id === agentId).map(({ run }) => run.sessionId)
  }

  /** Resolves when no program with this agent that was told to end has a process left. */
  async left(agentId: string): Promise<void> {
    const isLeaving = ({ run }: Entry): boolean => run.row.id === agentId && run.ending() !== null
    while ([...this.#entries.values()].some(isLeaving)) await this.#oneFreed()
  }

  /** Ends everything and waits until nothing is left of it. */
  async stop(ending: Ending): Promise<void> {
    this.#stopping = ending
    for (const { end } of [...this.#entries.values()]) end(ending)
    while (this.#entries.size > 0) await this.#oneFreed()
  }

  #oneFreed(): Promise<void> {
    return new Promise((resolve) => {
      const others = this.#freed
      this.#freed = () => {
        others()
        resolve()
      }
    })
  }
}
