/** The runs without a program: those in line, and those that wait for a usage limit to end. */
import type { PrismaClient } from '../../../database/generated/client.ts'
import { BOOKED, bookUsage } from '../ledger/usage-repository.ts'
import type { Counted, Programs } from '../../sessions/programs.ts'
import type { UnendedTasks } from '../metrics.ts'
import { BATCH, HELD, type Held, type RunRow, storedTotals, UNENDED, type Used } from '../repository.ts'

/** What is stored of a process that met a usage limit. */
export interface StoredWait extends Pick<Used, 'usage' | 'totals'> {
  readonly continuesAt: Date
  readonly cliSessionId: string | null
  readonly lastSeq: number
}

export class LineRepository {
  readonly #prisma: PrismaClient

  constructor(prisma: PrismaClient) {
    this.#prisma = prisma
  }

  /**
   * Begins to start a run that waits, in a session of this id. Answers its new generation, or null if it does not wait any
   * more.
   */
  async begin(
    { id, generation, state, cliSessionId }: Pick<RunRow, 'id' | 'generation' | 'state' | 'cliSessionId'>,
    sessionId: string,
    beganAt: Date,
  ): Promise<number | null> {
    const next = generation + 1
    const { count } = await this.#prisma.codingRun.updateMany({
      where: { id, generation, state: { in: ['queued', 'waiting'] } },
      // Until it is known, it counts as one that holds its user's own credential. A usage limit is waited for once, and this is stored before it is tried.
      data: {
        state: 'starting',
        beganAt,
        personal: true,
        generation: next,
        sessionId,
        continuesAt: null,
        ...(state === 'queued' && { startedAt: beganAt }),
        ...(state === 'waiting' && { waitsForLimit: false }),
        // The CLI's own session has the task already.
        ...(state === 'waiting' && cliSessionId !== null && { resumed: cliSessionId }),
      },
    })
    return count > 0 ? next : null
  }

  /**
   * Puts a run back into the line: it could not start. Answers false if it has ended, or if it began to start more often
   * than `startsMax`.
   */
  async putBack({ id, generation }: Held, startsMax = Number.MAX_SAFE_INTEGER): Promise<boolean> {
    if (generation > startsMax) return false
    const { count } = await this.#prisma.codingRun.updateMany({
      where: { id, generation, state: 'starting', queue: true },
      data: { state: 'queued', startedAt: null, personal: false },
    })
    return count > 0
  }

  /** The process met a usage limit, and the run waits for its end. Answers false if the run has ended. */
  async wait({ id, generation }: Held, { usage, totals, ...wait }: StoredWait): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const [run] = await tx.codingRun.updateManyAndReturn({
        where: { id, generation, state: { in: [...HELD] }, waitsForLimit: true },
        data: { ...wait, ...storedTotals(totals), state: 'waiting' },
        select: BOOKED,
      })
      // It is booked at the time of the wait, and again with the end.
      if (run) await bookUsage(tx, { ...run, endedAt: new Date() }, usage)
      return run !== undefined
    })
  }

  /** The runs that wait in line, or for a time that has come; the oldest first, at most {@link BATCH}. */
  async line(now: Date): Promise<RunRow[]> {
    const rows = await this.#prisma.codingRun.findMany({
      where: { OR: [{ state: 'queued' }, { state: 'waiting', continuesAt: { lte: now } }] },
      orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
      take: BATCH,
    })
    return rows as RunRow[]
  }

  /** The runs without a program behind an id, in the order of their ids; at most {@link BATCH}. */
  async waitingBehind(id: string | null): Promise<RunRow[]> {
    const rows = await this.#prisma.codingRun.findMany({
      where: { state: { in: ['queued', 'waiting'] }, ...(id !== null && { id: { gt: id } }) },
      orderBy: { id: 'asc' },
      take: BATCH,
    })
    return rows as RunRow[]
  }

  /**
   * The runs with a program that this backend does not hold, at most {@link BATCH}: after a restart it takes them over
   * one by one. They count for the limits.
   */
  async heldBesides(programs: Pick<Programs, 'sessions'>): Promise<Counted[]> {
    const before = programs.sessions()
    const rows = await this.#prisma.codingRun.findMany({
      where: { state: { in: [...HELD] }, agentId: { not: null } },
      select: { sessionId: true, userId: true, agentId: true },
      take: BATCH,
    })
    // Some may have ended, or may have been taken over, while the database answered.
    const known = new Set([...before, ...programs.sessions()])
    return rows.flatMap(({ sessionId, userId, agentId }) =>
      agentId === null || known.has(sessionId) ? [] : [{ caller: { userId }, row: { id: agentId } }],
    )
  }

  /** How many runs there are in each state before the end. */
  async unended(): Promise<UnendedTasks[]> {
    const counted = await this.#prisma.codingRun.groupBy({
      by: ['state'],
      where: { state: { in: [...UNENDED] } },
      _count: true,
      _min: { createdAt: true },
    })
    return counted.flatMap(({ state, _count: count, _min: { createdAt: oldest } }) =>
      oldest === null ? [] : [{ state, count, oldest }],
    )
  }

  /** How many runs of a user wait in line. */
  async countQueued(userId: string): Promise<number> {
    return this.#prisma.codingRun.count({ where: { userId, state: 'queued' } })
  }
}
