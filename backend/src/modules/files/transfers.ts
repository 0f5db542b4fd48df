/** The files on their way now: how many at once, and the end of each when the right to it is lost. */
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import { type Arrival, type Loss, refusalOf } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Found } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'

/** Most files on their way to and from one agent at once: each is an exec and two connections. */
const MAX_PER_AGENT = 8
/** When to try again, in seconds. */
const RETRY_SECONDS = 5

/** One file, or one folder, on its way. */
export interface Transfer extends Found {
  /** Ends it where it is. */
  readonly close: () => void
}

export class Transfers {
  readonly #open: Open<Transfer>

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>) {
    this.#open = new Open(losses)
  }

  /** Call before anything is executed. Throws `TOO_MANY_REQUESTS`, and the answer to a caller whose right was lost on the way. */
  begin(transfer: Transfer, arrival: Arrival): void {
    const here = this.#open.all().filter(({ row }) => row.id === transfer.row.id)
    const lost = this.#open.enter(transfer, transfer.close, arrival)
    if (lost) throw refusalOf(lost)
    if (here.length < MAX_PER_AGENT) return
    this.#open.leave(transfer)
    throw new AppError('TOO_MANY_REQUESTS', 'Too many files are on their way to or from this agent. Try again soon.', {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  end(transfer: Transfer): void {
    this.#open.leave(transfer)
  }

  /** The callers whose files are on their way. */
  callers(): Caller[] {
    return this.#open.callers()
  }
}
