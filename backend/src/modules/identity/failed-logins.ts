/**
 * Wrong passwords in the audit log. Each has its own row, until there are so many that a flood could fill the disk.
 * Further ones, and those that are not even compared, are counted in one row per minute.
 */
import { AppError } from '../../lib/errors.ts'
import { MINUTE_MS, type Clock } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import { PLATFORM } from '../audit/actor.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import { networkOf } from './networks.ts'

/** The window in which rows are counted and further attempts are gathered, in milliseconds. */
const WINDOW_MS = MINUTE_MS
/** Single rows in one window: far more than a whole company mistypes, and at most some 20 MB per day. */
export const MAX_ROWS_PER_WINDOW = 30
/** Networks that the row of counted attempts names, with the count of each; the others are summed up. */
const MAX_NETWORKS = 20

/** What {@link FailedLogins} needs. */
interface Parts {
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  readonly log: Pick<Log, 'error'>
}

/** An attempt whose password may be wrong. */
export type Attempt = Pick<AuditEntry, 'action' | 'actor' | 'target'>

interface Counted {
  attempts: number
  readonly since: Date
  readonly networks: Map<string, number>
}

/** All failed attempts at one server. */
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
   * Answers what `check` does; a no is recorded first. Throws what `check` throws, and `AUDIT_REFUSED` if the row is
   * refused: then a right password gets that answer, too.
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

  /** Writes what is only counted so far. If that fails, it stays counted. */
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
