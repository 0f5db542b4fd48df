/** Schedules in the database. Each change is recorded. */
import type { MissedPolicy } from '@slipway/protocol'
import { isForeignKeyViolation } from '../../../database/errors.ts'
import type { Prisma, PrismaClient } from '../../../database/generated/client.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { agentEvent } from '../../agents/recorded.ts'
import { viewerOf } from '../../agents/repository.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import type { Audit } from '../../audit/audit.ts'
import { changesOf } from '../../audit/audited.ts'
import { recorded } from '../../audit/recorded-repository.ts'
import type { Caller, Proof } from '../../identity/caller.ts'
import { lineRefusal } from '../line/repository.ts'
import type { Plan } from '../start/plan.ts'
import { newRow, open, type RunRow, seenBy, UNENDED } from '../repository.ts'
import { withBeginnings } from '../search/prompt-repository.ts'
import type { ScheduleCounts } from './metrics.ts'
import type { Times } from './times.ts'
import type { StoredTask } from '../stored-task.ts'

/** Most schedules of one look. */
const BATCH = 100

/** The fields of a schedule that its user chooses. */
export interface ScheduleFields extends Times, StoredTask {
  readonly name: string
  readonly missed: MissedPolicy
  readonly enabled: boolean
}

/** When it runs next and after that. Null and empty if it is switched off. */
export interface NextTimes {
  readonly nextAt: Date | null
  readonly laterAt: Date[]
}

/** What a user's change decides. */
export interface Changed extends ScheduleFields, NextTimes {
  readonly agentId: string
  /** How the user of the change had authenticated. */
  readonly via: Proof['kind']
  readonly viaId: string
  readonly disabledBecause: string | null
  readonly updatedAt: Date
}

/** A schedule to store. */
export interface NewSchedule extends Changed {
  readonly id: string
  readonly userId: string
  readonly createdAt: Date
}

/** A stored schedule. */
export interface ScheduleRow extends NewSchedule {
  readonly agent: { readonly name: string }
  readonly lastRunId: string | null
  readonly skippedAt: Date | null
  readonly skippedBecause: string | null
  readonly version: number
}

/** What a schedule shows of its newest run. */
export type LastRun = Pick<RunRow, 'id' | 'state' | 'reason' | 'createdAt' | 'endedAt'>

/** A run that is to wait in line. */
export interface PlannedRun {
  readonly plan: Pick<Plan, 'run' | 'found'>
  readonly actor: Actor
}

/** What is to come of a time of a schedule: a run, or the reason why there is none. */
export type Outcome = PlannedRun | { readonly skipped: string }

/** What became of a time: a run, none, or `known` if the time has a run already. */
export type Passed = 'run' | 'skipped' | 'known'

/** The schedule was changed or removed after it was read. */
export class ScheduleChanged extends Error {}

const include = { agent: { select: { name: true } } } as const

export class ScheduleRepository {
  readonly #prisma: PrismaClient
  readonly #audit: Pick<Audit, 'record'>

  constructor(prisma: PrismaClient, audit: Pick<Audit, 'record'>) {
    this.#prisma = prisma
    this.#audit = audit
  }

  /** Oldest first, with cut prompts. A user has few, by their limit. */
  async of(userId: string): Promise<ScheduleRow[]> {
    const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }]
    const omit = { prompt: true } as const
    const rows = await this.#prisma.schedule.findMany({ where: { userId }, include, omit, orderBy })
    return (await withBeginnings(this.#prisma, 'schedule', rows)) as ScheduleRow[]
  }

  async find(userId: string, id: string): Promise<ScheduleRow | null> {
    return (await this.#prisma.schedule.findFirst({ where: { id, userId }, include })) as ScheduleRow | null
  }

  /**
   * The ids of those whose time has come, the first ones first. Each one once: those that fail and stay due keep no later
   * one from its turn.
   */
  due(now: Date): AsyncGenerator<string> {
    return this.#ids({ nextAt: { lte: now } })
  }

  /** The ids of those whose next time may come from a clock that ran ahead: what they did last is later than now. */
  ahead(now: Date): AsyncGenerator<string> {
    const isLater = { gt: now }
    const did = [{ skippedAt: isLater }, { updatedAt: isLater }, { codingRuns: { some: { scheduledFor: isLater } } }]
    return this.#ids({ nextAt: isLater, OR: did })
  }

  /** Reads {@link BATCH} ids at once, those with the first times first. */
  async *#ids(wanted: Prisma.ScheduleWhereInput): AsyncGenerator<string> {
    let where = wanted
    for (;;) {
      const orderBy = [{ nextAt: 'asc' as const }, { id: 'asc' as const }]
      const rows = await this.#prisma.schedule.findMany({
        ...{ where, orderBy, take: BATCH },
        select: { id: true, nextAt: true },
      })
      for (const { id } of rows) yield id
      const last = rows.at(-1)
      if (!last?.nextAt || rows.length < BATCH) return
      const { id, nextAt } = last
      where = { AND: [wanted, { OR: [{ nextAt: { gt: nextAt } }, { nextAt, id: { gt: id } }] }] }
    }
  }

  /** How many there are. */
  async counts(): Promise<ScheduleCounts> {
    const rows = await this.#prisma.schedule.groupBy({ by: ['enabled'], _count: true })
    const of = (enabled: boolean): number => rows.find((row) => row.enabled === enabled)?._count ?? 0
    return { enabled: of(true), disabled: of(false) }
  }

  /** For the platform's own work, never for a request. */
  async byId(id: string): Promise<ScheduleRow | null> {
    return (await this.#prisma.schedule.findUnique({ where: { id }, include })) as ScheduleRow | null
  }

  /** Those that are switched on: of a user, of a user in an agent, or of a proof. Few, by the limit of their user. */
  async enabledOf(of: Pick<Prisma.ScheduleWhereInput, 'userId' | 'agentId' | 'viaId'>): Promise<ScheduleRow[]> {
    return (await this.#prisma.schedule.findMany({ where: { ...of, enabled: true }, include })) as ScheduleRow[]
  }

  /** Of these runs, those that the caller may see. */
  async runs(caller: Caller, ids: readonly string[]): Promise<LastRun[]> {
    const where = { id: { in: [...ids] }, ...seenBy(viewerOf(caller)), ...open(caller) }
    const select = { id: true, state: true, reason: true, createdAt: true, endedAt: true }
    return (await this.#prisma.codingRun.findMany({ where, select })) as LastRun[]
  }

  /** False if the user has `max` already. Throws `NOT_FOUND` if the agent is gone. */
  async create(schedule: NewSchedule, max: number, actor: Actor): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      // Locks the user's row, so that two concurrent requests cannot both create the last one.
      await tx.$executeRaw`SELECT 1 FROM "User" WHERE "id" = ${schedule.userId}::uuid FOR UPDATE`
      if ((await tx.schedule.count({ where: { userId: schedule.userId } })) >= max) return false
      await tx.schedule.create({ data: schedule }).catch(refuseGone)
      const detail = { changes: changesOf('Schedule', null, schedule) }
      await this.#audit.record(tx, { actor, action: 'schedule.created', target: targetOf(schedule), detail })
      return true
    })
  }

  /** Stores a user's change. Throws {@link ScheduleChanged}, and `NOT_FOUND` if the agent is gone. */
  async change(before: ScheduleRow, after: Changed, actor: Actor): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await claim(tx, before, after)
      const detail = { changes: changesOf('Schedule', before, after) }
      const target = { id: before.id, name: after.name }
      await this.#audit.record(tx, { actor, action: 'schedule.changed', target, detail })
    })
  }

  /** Its active runs go on. False if the user has no such schedule. */
  async remove(userId: string, id: string, actor: Actor): Promise<boolean> {
    return recorded(this.#prisma, this.#audit, async (tx) => {
      const row = await tx.schedule.findFirst({ where: { id, userId } })
      const { count } = await tx.schedule.deleteMany({ where: { id, userId } })
      if (!row || count === 0) return null
      const detail = { changes: changesOf('Schedule', row, null) }
      return { actor, action: 'schedule.removed', target: targetOf(row), detail }
    })
  }

  /** Switches it off for its user, with a reason. Throws {@link ScheduleChanged}. */
  async disable(row: ScheduleRow, disabledBecause: string, updatedAt: Date): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await claim(tx, row, { enabled: false, disabledBecause, nextAt: null, laterAt: [], updatedAt })
      const changes = changesOf('Schedule', { enabled: true }, { enabled: false })
      const entry = { actor: PLATFORM, action: 'schedule.disabled', target: targetOf(row) } as const
      await this.#audit.record(tx, { ...entry, detail: { changes, because: disabledBecause } })
    })
  }

  /**
   * Moves it on from a time and stores what comes of it, in one transaction: so the time has one run, however many
   * backends look at the schedule, and wherever one is killed. Throws {@link ScheduleChanged}.
   */
  async pass(row: ScheduleRow, at: Date, next: NextTimes, outcome: Outcome): Promise<Passed> {
    return this.#prisma.$transaction(async (tx) => {
      await claim(tx, row, next)
      // The clock was set back.
      if ((await tx.codingRun.count({ where: { scheduleId: row.id, scheduledFor: at } })) > 0) return 'known'
      const skipped = 'skipped' in outcome ? outcome.skipped : ((await obstacle(tx, row))?.message ?? null)
      const skip = { skippedAt: skipped === null ? null : at, skippedBecause: skipped }
      await tx.schedule.update({ where: { id: row.id }, data: skip })
      if (skipped !== null || 'skipped' in outcome) return 'skipped'
      await this.#store(tx, row, outcome, at)
      return 'run'
    })
  }

  /** Gives it other next times, without a run. Throws {@link ScheduleChanged}. */
  async move(row: ScheduleRow, next: NextTimes): Promise<void> {
    await claim(this.#prisma, row, next)
  }

  /** Stores a run that its user starts now. Throws what is in the way, or {@link ScheduleChanged}. */
  async start(row: ScheduleRow, run: PlannedRun): Promise<void> {
    await this.#prisma.$transaction(async (tx) => {
      await claim(tx, row, {})
      const refusal = await obstacle(tx, row)
      if (refusal) throw refusal
      await this.#store(tx, row, run, null)
    })
  }

  async #store(
    tx: Prisma.TransactionClient,
    { id: scheduleId }: ScheduleRow,
    { plan: { run, found }, actor }: PlannedRun,
    scheduledFor: Date | null,
  ): Promise<void> {
    const task = { sessionId: run.id, taskId: run.id, provider: run.provider }
    const facts = { ...task, relation: found.relation, scheduleId }
    await this.#audit.record(tx, { actor, action: 'task.queued', ...agentEvent(found.row, facts) })
    await tx.codingRun.create({
      data: { ...newRow({ ...run, cliSessionId: null }, 'queued'), scheduleId, scheduledFor },
    })
    await tx.schedule.update({ where: { id: scheduleId }, data: { lastRunId: run.id } })
  }
}

/** Writes to a schedule as it was read. Of two concurrent writers the second one throws {@link ScheduleChanged}. */
const claim = async (
  tx: Prisma.TransactionClient,
  { id, version }: ScheduleRow,
  data: Partial<Changed>,
): Promise<void> => {
  const { count } = await tx.schedule
    .updateMany({ where: { id, version }, data: { ...data, version: version + 1 } })
    .catch(refuseGone)
  if (count === 0) throw new ScheduleChanged()
}

/** The agent was deleted meanwhile. */
const refuseGone = (error: unknown): never => {
  if (isForeignKeyViolation(error)) throw notFound()
  throw error
}

/** Why it cannot have a run now, or null. */
const obstacle = async (tx: Prisma.TransactionClient, { id, userId }: ScheduleRow): Promise<AppError | null> => {
  const { codingRun } = tx
  if ((await codingRun.count({ where: { scheduleId: id, state: { in: [...UNENDED] } } })) > 0)
    return new AppError('WRONG_STATE', 'An earlier run of this schedule is still active.')
  return lineRefusal(tx, userId)
}

const targetOf = ({ id, name }: Pick<ScheduleRow, 'id' | 'name'>) => ({ id, name })
