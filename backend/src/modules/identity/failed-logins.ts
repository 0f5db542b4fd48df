/**
 * Passwords that were wrong, in the audit log. Each has a row of its own, until there are so many that a flood could fill the
 * disk: beyond that, and where they are not even compared any more, they are counted into one row for each minute.
 */
import { AppError } from '../../lib/errors.ts'
import { MINUTE_MS, type Clock } from '../../lib/clock.ts'
import type { Log } from '../../lib/log.ts'
import { PLATFORM } from '../audit/actor.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { networkOf } from './networks.ts'

/** For so long, in milliseconds, rows are counted, and attempts gathered into one. */
const WINDOW_MS = MINUTE_MS
/** Rows of their own in one window: far more than a whole company mistypes, and at most some 20 MB in a day. */
export const MAX_ROWS_PER_WINDOW = 30
/** Networks that are named in the row of those that were counted, with how often each; the others are summed up. */
const MAX_NETWORKS = 20

/** What {@link FailedLogins} needs. */
interface Parts {
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** A password that may prove wrong. */
export type Attempt = Pick<AuditEntry, 'action' | 'actor' | 'target'>

interface Counted {
  attempts: number
  readonly since: Date
  readonly networks: Map<string, number>
}

/** All of one server's. */
export class FailedLogins {
  readonly #parts: Parts
  #rows = 0
  #windowEndsAt = 0
  #counted: Counted | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /**
   * Answers what `check` does, once it is recorded that it was no. Throws what `check` throws; or, where the row is refused,
   * `AUDIT_REFUSED`, which a right password is answered then, too.
   */
  async tell(check: () => Promise<boolean>, attempt: Attempt, reason: string): Promise<boolean> {
    try {
      const right = await check()
      if (!right) await this.#failed(attempt, reason)
      return right
    } catch (error) {
      if (error instanceof AppError && error.code === 'TOO_MANY_REQUESTS') this.#count(attempt)
      throw error
    }
  }

  /** Writes what was only counted so far. What cannot be written is counted further. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = this.#counted
    if (!counted) return
    this.#counted = null
    const { attempts, since, networks } = counted
    const named = Object.fromEntries(networks)
    const elsewhere = attempts - [...networks.values()].reduce((sum, count) => sum + count, 0)
    try {
      await this.#parts.audit.recordNow({
        actor: PLATFORM,
        action: 'login.suppressed',
        target: null,
        detail: { attempts, since, networks: named, elsewhere },
      })
    } catch (error) {
      this.#parts.log.error({ err: error }, 'failed sign-ins that were counted could not be recorded')
      const meanwhile = this.#counted as Counted | null
      this.#counted = { ...counted, attempts: attempts + (meanwhile?.attempts ?? 0) }
      this.#later()
    }
  }

  /** The last flush. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
  }

  async #failed(attempt: Attempt, reason: string): Promise<void> {
    const now = this.#parts.clock.now()
    if (now >= this.#windowEndsAt || this.#windowEndsAt > now + WINDOW_MS) {
      this.#rows = 0
      this.#windowEndsAt = now + WINDOW_MS
    }
    if (this.#rows >= MAX_ROWS_PER_WINDOW) return this.#count(attempt)
    this.#rows += 1
    await this.#parts.audit.recordNow({ ...attempt, detail: { reason } })
  }

  #count({ actor }: Attempt): void {
    this.#counted ??= { attempts: 0, since: new Date(this.#parts.clock.now()), networks: new Map() }
    const { networks } = this.#counted
    this.#counted.attempts += 1
    const network = networkOf(actor.source.address ?? '')
    const count = networks.get(network)
    if (count !== undefined) networks.set(network, count + 1)
    else if (networks.size < MAX_NETWORKS) networks.set(network, 1)
    this.#later()
  }

  #later(): void {
    this.#timer ??= setTimeout(() => void this.flush(), WINDOW_MS).unref()
  }
}
