/** The transfers in progress: bounds their number, and ends each when its caller loses the right to it. */
import type { Signal } from '../../lib/emitter.ts'
import { AppError } from '../../lib/errors.ts'
import { type Arrival, type Loss, refusalOf } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import type { Found } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'

/** Most transfers at the same time with one agent: each is an exec and two connections. */
const MAX_PER_AGENT = 8
/** Delay before the client should retry, in seconds. */
const RETRY_SECONDS = 5

/** One file or folder in transfer. */
export interface Transfer extends Found {
  /** Ends it at once. */
  readonly close: () => void
}

export class Transfers {
  readonly #open: Open<Transfer>

  constructor(losses: Pick<Signal<Loss>, 'on' | 'since'>) {
    this.#open = new Open(losses)
  }

  /**
   * Call it before the program starts. Throws `TOO_MANY_REQUESTS`, and the refusal for a caller who lost the right
   * meanwhile.
   */
  begin(transfer: Transfer, arrival: Arrival): void {
    const here = this.#open.all().filter(({ row }) => row.id === transfer.row.id)
    const lost = this.#open.enter(transfer, transfer.close, arrival)
    if (lost) throw refusalOf(lost)
    if (here.length < MAX_PER_AGENT) return
    this.#open.leave(transfer)
    throw new AppError('TOO_MANY_REQUESTS', 'Too many transfers with this agent are in progress. Try again soon.', {
      retryAfterSeconds: RETRY_SECONDS,
    })
  }

  end(transfer: Transfer): void {
    this.#open.leave(transfer)
  }

  /** The callers of the transfers in progress. */
  callers(): Caller[] {
    return this.#open.callers()
  }
}
