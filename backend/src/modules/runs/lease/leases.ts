/**
 * Leases of the sessions of CLIs: one run or one terminal continues a session at a time, because two would damage its
 * file. The rows of runs and terminals are the leases, so they outlive this backend.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { RunState } from '@slipway/protocol'
import { type Clock, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Attendance } from '../../sessions/processes/attendance.ts'
import type { SessionRecords } from '../../sessions/records/records.ts'
import { HELD } from '../repository.ts'
import type { NewRun } from '../new-run.ts'
import type { CliSession, CliSessionHolder, LeaseRepository } from './repository.ts'

/** How long a session is kept for a user who was told to open its terminal, in seconds. */
export const RESERVED_SECONDS = 60

/** How long {@link Leases} wait for the last processes of a session unless they are told otherwise, in milliseconds. */
const GONE_MS = 10 * SECOND_MS
/** Time between two looks at them, in milliseconds. */
const LOOK_MS = 100
/** The states of a run that a program of its session belongs to. One in line has no program yet. */
const ACTIVE = [...HELD, 'waiting'] as const
/** The states before the end. */
const UNENDED = [...ACTIVE, 'queued'] as const

/** A session that is kept for the terminal of a user. */
interface Reservation extends CliSession {
  /** In milliseconds since 1970. */
  readonly until: number
}

interface Deps {
  readonly rows: Pick<LeaseRepository, 'holders'>
  readonly attendance: Pick<Attendance, 'of'>
  readonly records: Pick<SessionRecords, 'isOver'>
  readonly clock: Clock
}

export const inUse = (): AppError =>
  new AppError('SESSION_IN_USE', 'Another task or a terminal continues this session. Wait for its end.')

const keyOf = ({ agentId, cliSessionId }: CliSession): string => `${agentId} ${cliSessionId}`

export class Leases {
  readonly #deps: Deps
  readonly #goneMs: number
  /** The sessions for which a row is being written. */
  readonly #taking = new Set<string>()
  /** By user: the one session that is kept for each. */
  readonly #reserved = new Map<string, Reservation>()

  /** `goneMs` is how long a session is waited for whose last processes are being ended, in milliseconds. */
  constructor(deps: Deps, goneMs = GONE_MS) {
    this.#deps = deps
    this.#goneMs = goneMs
  }

  /**
   * Calls `store`, which writes that this run has the session. `resume` is null for a new session. Throws
   * `SESSION_IN_USE`.
   */
  async forRun<T>({ id, agentId }: Pick<NewRun, 'id' | 'agentId'>, resume: string | null, store: () => Promise<T>) {
    const session = { agentId, cliSessionId: resume ?? id }
    return this.#take(session, store, async () => {
      if (resume === null) return false
      return this.#isReserved(session, null) || (await this.#holderOf(session, ACTIVE, id)) !== null
    })
  }

  /** The same for a terminal of this user. A run in line goes before it. */
  async forTerminal<T>(session: CliSession, userId: string, store: () => Promise<T>): Promise<T> {
    const isTaken = async (): Promise<boolean> =>
      this.#isReserved(session, userId) || (await this.#holderOf(session, UNENDED)) !== null
    const stored = await this.#take(session, store, isTaken)
    this.#reserved.delete(userId)
    return stored
  }

  /**
   * Keeps the session for {@link RESERVED_SECONDS} for a terminal of this user. Answers the session of the user's terminal
   * that has it already, or null. Throws `SESSION_IN_USE`.
   */
  async reserve(session: CliSession, userId: string): Promise<string | null> {
    let there: string | null = null
    const isTaken = async (): Promise<boolean> => {
      if (this.#isReserved(session, userId)) return true
      const holder = await this.#holderOf(session, UNENDED)
      if (holder?.kind === 'terminal' && holder.userId === userId) there = holder.sessionId
      return holder !== null && there === null
    }
    const keep = (): Promise<string | null> => {
      const until = this.#deps.clock.now() + RESERVED_SECONDS * SECOND_MS
      if (there === null) this.#reserved.set(userId, { ...session, until })
      return Promise.resolve(there)
    }
    return this.#take(session, keep, isTaken)
  }

  async #take<T>(session: CliSession, store: () => Promise<T>, isTaken: () => Promise<boolean>): Promise<T> {
    const key = keyOf(session)
    if (this.#taking.has(key)) throw inUse()
    // Held until the row says it.
    this.#taking.add(key)
    try {
      if (await isTaken()) throw inUse()
      return await store()
    } finally {
      this.#taking.delete(key)
    }
  }

  /** Who has the session besides a run; null if it is free. Waits for the last processes of those that have ended. */
  async #holderOf(
    session: CliSession,
    states: readonly RunState[],
    besides?: string,
  ): Promise<CliSessionHolder | null> {
    const { rows, attendance, records } = this.#deps
    for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
      const attended = attendance.of(session.agentId).map(({ sessionId }) => sessionId)
      const all = await rows.holders(session, states, attended)
      // Nothing is left of it, although its record may not say so yet, or ever: a database may refuse the end.
      const isGone = ({ hasEnded, sessionId }: CliSessionHolder): boolean =>
        hasEnded && !attended.includes(sessionId) && records.isOver(sessionId)
      const others = all.filter((holder) => holder.id !== besides && !isGone(holder))
      const holder = others.find(({ hasEnded }) => !hasEnded) ?? others[0] ?? null
      if (!holder?.hasEnded || waitedMs >= this.#goneMs) return holder
      await delay(LOOK_MS)
    }
  }

  #isReserved(session: CliSession, exceptFor: string | null): boolean {
    const now = this.#deps.clock.now()
    for (const [userId, { until, ...reserved }] of this.#reserved) {
      if (until <= now) this.#reserved.delete(userId)
      else if (userId !== exceptFor && keyOf(reserved) === keyOf(session)) return true
    }
    return false
  }
}
