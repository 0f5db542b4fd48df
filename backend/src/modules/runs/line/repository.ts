/** The runs without a program: those in line, and those that wait for a usage limit to end. */
import { randomUUID } from 'node:crypto'
import { QUEUED_PER_USER, type RunPolicy, type RunState } from '@slipway/protocol'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError } from '../../../lib/errors.ts'
import { storedTotals } from '../ledger/totals-repository.ts'
import { BOOKED, bookProcess } from '../ledger/usage-repository.ts'
import type { Counted, Programs } from '../../sessions/programs.ts'
import type { UnendedTasks } from '../metrics.ts'
import { NO_OUTBOX, type RunOutbox } from '../outbox/repository.ts'
import { BATCH, HELD, type Held, type RunRow, UNENDED } from '../repository.ts'
import type { Used } from '../stored-end.ts'

/** What is stored of a process that met a usage limit. */
export interface StoredWait extends Pick<Used, 'usage' | 'totals'> {
  readonly continuesAt: Date
  readonly cliSessionId: string | null
  readonly lastSeq: number
}

/** How a run goes back into the line. */
export interface PutBack {
  /** How often it has begun to start since its program was followed. */
  readonly starts: number
  /** Most times that it begins to start. */
  readonly startsMax: number
  /** The states in which it may be. One that is `running` may have done something, unless its start is known to have failed. */
  readonly from: readonly (typeof HELD)[number][]
  /** It does not start before. */
  readonly notBefore?: Date | null
}

/** A run that may start. */
export type Due = Pick<RunRow, 'id' | 'userId' | 'agentId'>

/** A run without a program, without its prompt. */
export type WaitingRun = Omit<RunRow, 'prompt'>

/** The states without a program before the end. */
const WAITING: RunState[] = ['queued', 'waiting']

export class LineRepository {
  readonly #prisma: PrismaClient
  readonly #outbox: RunOutbox

  constructor(prisma: PrismaClient, outbox = NO_OUTBOX) {
    this.#prisma = prisma
    this.#outbox = outbox
  }

  /**
   * Begins to start a run that waits, in a session of this id. Answers its new generation, or null if it does not wait any
   * more.
   */
  async begin(
    run: Pick<RunRow, 'id' | 'generation' | 'state' | 'cliSessionId' | 'lastSeq'>,
    sessionId: string,
    beganAt: Date,
    policy: RunPolicy | null,
  ): Promise<number | null> {
    const { id, generation, state, lastSeq } = run
    const next = generation + 1
    const { count } = await this.#prisma.codingRun.updateMany({
      where: { id, generation, state: { in: ['queued', 'waiting'] } },
      // A usage limit is waited for once, and this is stored before it is tried. Its request was answered long ago, so it
      // may go back into the line.
      data: {
        state: 'starting',
        beganAt,
        generation: next,
        sessionId,
        policy,
        continuesAt: null,
        // Questions belong to a process.
        ...{ asksSince: null, askedMs: 0 },
        ...(lastSeq === 0 && { startedAt: beganAt }),
        ...(state === 'waiting' && { waitsForLimit: false, queue: true }),
        ...(continues(run) && { resumed: run.cliSessionId }),
      },
    })
    return count > 0 ? next : null
  }

  /**
   * Puts a run back into the line, with another session: it could not start. Answers false if it has ended, or if it
   * began to start too often.
   */
  async putBack({ id, generation }: Held, { starts, startsMax, from, notBefore = null }: PutBack): Promise<boolean> {
    if (starts > startsMax) return false
    const where = { id, generation, state: { in: [...from] }, queue: true }
    const data = { state: 'queued', sessionId: randomUUID(), continuesAt: notBefore }
    // One that has waited for a usage limit has started before.
    const [fresh, others] = await this.#prisma.$transaction([
      this.#prisma.codingRun.updateMany({ where: { ...where, lastSeq: 0 }, data: { ...data, startedAt: null } }),
      this.#prisma.codingRun.updateMany({ where, data }),
    ])
    return fresh.count + others.count > 0
  }

  /**
   * The process met a usage limit, and the run waits for its end. Answers false if the run has ended, or if its user has
   * {@link QUEUED_PER_USER} runs that wait.
   */
  async wait({ id, generation }: Held, { usage, totals, ...wait }: StoredWait): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const of = await tx.codingRun.findUnique({ where: { id }, select: { userId: true } })
      if (!of || (await countWaiting(tx, of.userId)) >= QUEUED_PER_USER) return false
      const [run] = await tx.codingRun.updateManyAndReturn({
        where: { id, generation, state: { in: [...HELD] }, waitsForLimit: true },
        // The CLI has the prompt of a repair by then.
        data: { ...wait, ...storedTotals(totals), state: 'waiting', repairPrompt: null },
        select: BOOKED,
      })
      if (run) await bookProcess(tx, run, usage)
      if (run) await this.#outbox.store(tx, run, 'task.waiting')
      return run !== undefined
    })
  }

  /** The runs that wait for no later time, in these agents and in deleted ones; the oldest first. */
  async *due(now: Date, agentIds: readonly string[]): AsyncGenerator<Due> {
    const { codingRun } = this.#prisma
    const where = {
      AND: [
        {
          OR: [
            { state: 'queued', continuesAt: null },
            { state: { in: WAITING }, continuesAt: { lte: now } },
          ],
        },
        { OR: [{ agentId: null }, { agentId: { in: [...agentIds] } }] },
      ],
    }
    const select = { id: true, userId: true, agentId: true } as const
    const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]
    let cursor: { readonly id: string } | null = null
    for (;;) {
      const behind: object = cursor === null ? {} : { cursor, skip: 1 }
      const rows: Due[] = await codingRun.findMany({ where, select, orderBy, take: BATCH, ...behind })
      yield* rows
      const last = rows.at(-1)
      if (last === undefined || rows.length < BATCH) return
      cursor = { id: last.id }
    }
  }

  /** The runs without a program behind an id, in the order of their ids; at most {@link BATCH}. */
  async waitingBehind(id: string | null): Promise<WaitingRun[]> {
    const rows = await this.#prisma.codingRun.findMany({
      where: { state: { in: WAITING }, ...(id !== null && { id: { gt: id } }) },
      orderBy: { id: 'asc' },
      // Up to a mebibyte each.
      omit: { prompt: true },
      take: BATCH,
    })
    return rows as unknown as WaitingRun[]
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

/** Whether the CLI's own session has the run already, because it has waited for a usage limit. */
export const continues = ({ state, cliSessionId, lastSeq }: Pick<RunRow, 'state' | 'cliSessionId' | 'lastSeq'>) =>
  cliSessionId !== null && (state === 'waiting' || lastSeq > 0)

/** Why a user's line takes no further run, or null. Nothing else puts one into it before the transaction is over. */
export const lineRefusal = async (tx: Prisma.TransactionClient, userId: string): Promise<AppError | null> => {
  await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${userId}::uuid FOR UPDATE`
  const queued = await tx.codingRun.count({ where: { userId, state: 'queued' } })
  return queued < QUEUED_PER_USER
    ? null
    : new AppError('TOO_MANY_TASKS', `You have ${QUEUED_PER_USER} tasks in line, the maximum.`)
}

const countWaiting = (tx: Prisma.TransactionClient, userId: string): Promise<number> =>
  tx.codingRun.count({ where: { userId, state: 'waiting' } })
