/** The files on their way now: how many at once, and the way to all of them when a right is taken. */
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import type { Arrival, Taken } from '../access/taken.ts'
import type { Found } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'

/** Most files on their way to and from one agent at once: each is an exec and two connections. */
const MAX_PER_AGENT = 8
/** When to try again, in seconds. */
const RETRY_SECONDS = 5

/** One file, or one folder, on its way. */
export interface Transfer {
  readonly found: Found
  /** Ends it where it is. */
  readonly close: () => void
}

export class Transfers {
  readonly #open = new Set<Transfer>()

  constructor(taken: Pick<Signal<Taken>, 'on'>) {
    taken.on((right) => {
      for (const transfer of [...this.#open]) if (right.from(transfer.found)) transfer.close()
    })
  }

  /** Call before anything is executed. Throws `TOO_MANY_REQUESTS`, and what is told whose right was taken on the way. */
  begin(transfer: Transfer, arrival: Arrival): void {
    const lost = arrival.settle((right) => right.from(transfer.found))
    if (lost) throw lost.refusal()
    const here = [...this.#open].filter(({ found }) => found.row.id === transfer.found.row.id)
    if (here.length >= MAX_PER_AGENT)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        'Too many files are on their way to or from this agent. Try again soon.',
        {
          retryAfterSeconds: RETRY_SECONDS,
        },
      )
    this.#open.add(transfer)
  }

  end(transfer: Transfer): void {
    this.#open.delete(transfer)
  }

  /** Those whose files are on their way. */
  callers(): Caller[] {
    return [...this.#open].map(({ found }) => found.caller)
  }
}
