/** A user's schedules. */
import {
  type CodingSession,
  type CreateSchedule,
  type PreviewSchedule,
  type Schedule,
  SCHEDULE_DEFAULTS,
  type SchedulePreview,
  SCHEDULES_MAX,
  type UpdateSchedule,
} from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { isUuid, type NewId } from '../../../lib/ids.ts'
import { actorOf, asHandedIn, type Caller, proofOf } from '../../identity/caller.ts'
import type { Plan, RunPlanner } from '../start/plan.ts'
import { shortened } from '../view.ts'
import { changed, fieldsOf, present } from './fields.ts'
import { requestOf } from '../stored-task.ts'
import {
  type NewSchedule,
  type NextTimes,
  ScheduleChanged,
  type ScheduleFields,
  type ScheduleRepository,
  type ScheduleRow,
} from './repository.ts'
import { timesAfter } from './times.ts'

export interface ScheduleDeps {
  readonly schedules: ScheduleRepository
  readonly planner: Pick<RunPlanner, 'plan'>
  /** Tells about the new run of a schedule, and answers it. */
  readonly announce: (agentId: string, runId: string) => Promise<CodingSession>
  readonly clock: Clock
  readonly newId: NewId
}

interface ServiceDeps extends ScheduleDeps {
  readonly planner: Pick<RunPlanner, 'plan' | 'locate'>
}

export class ScheduleService {
  readonly #deps: ServiceDeps

  constructor(deps: ServiceDeps) {
    this.#deps = deps
  }

  /** The oldest first. */
  async list(caller: Caller): Promise<Schedule[]> {
    const rows = await this.#deps.schedules.of(caller.userId)
    return (await this.#present(caller, rows)).map(shortened)
  }

  /** Throws `NOT_FOUND`. */
  async get(caller: Caller, id: string): Promise<Schedule> {
    const [schedule] = await this.#present(caller, [await this.#require(caller, id)])
    if (!schedule) throw notFound()
    return schedule
  }

  /** The next times. Throws `VALIDATION`. */
  preview({ cron, timezone = SCHEDULE_DEFAULTS.timezone }: PreviewSchedule): SchedulePreview {
    const times = timesAfter({ cron, timezone }, this.#deps.clock.now())
    return { nextRuns: times.map((time) => time.toISOString()) }
  }

  /**
   * `resourceId` names it at every retry of the same request, which gets the schedule that the first one made. Throws
   * `VALIDATION`, `NOT_FOUND`, `TOO_MANY_SCHEDULES`, `AUDIT_REFUSED`.
   */
  async create(caller: Caller, body: CreateSchedule, resourceId: string | undefined): Promise<Schedule> {
    const { schedules, clock, newId } = this.#deps
    const fields = fieldsOf(body)
    const at = new Date(clock.now())
    const times = timesAfter(fields, clock.now())
    const { found } = await this.#plan(caller, fields, body.agent)
    // An earlier request with the same key made it, and its answer was lost.
    if (resourceId !== undefined && (await schedules.find(caller.userId, resourceId)))
      return this.get(caller, resourceId)
    const row: NewSchedule = {
      id: resourceId ?? newId(),
      userId: caller.userId,
      agentId: found.row.id,
      ...fields,
      ...nextOf(fields, times),
      ...proofOfSchedule(caller),
      disabledBecause: null,
      createdAt: at,
      updatedAt: at,
    }
    if (!(await schedules.create(row, SCHEDULES_MAX, actorOf(caller))))
      throw new AppError('TOO_MANY_SCHEDULES', `You have ${SCHEDULES_MAX} schedules, the maximum. Delete one first.`)
    return this.get(caller, row.id)
  }

  /** Checks the right before the kept answer to a repeated request is sent again. Throws like a new request. */
  async checkAgain(caller: Caller, body: Pick<CreateSchedule, 'agent'>): Promise<void> {
    await this.#deps.planner.locate(caller, body)
  }

  /**
   * The runs from now on may do what the user of this change may. Throws `VALIDATION`, `NOT_FOUND`, `WRONG_STATE`,
   * `AUDIT_REFUSED`.
   */
  async change(caller: Caller, id: string, body: UpdateSchedule): Promise<Schedule> {
    const { schedules, clock } = this.#deps
    const before = await this.#require(caller, id)
    const fields = changed(before, body)
    const times = timesAfter(fields, clock.now())
    // A user who lost the agent may still switch their schedule off.
    const isChecked = fields.enabled || body.agent !== undefined
    const plan = isChecked ? await this.#plan(caller, fields, body.agent ?? before.agent.name) : null
    const isSame = before.enabled && fields.cron === before.cron && fields.timezone === before.timezone
    const after = {
      ...fields,
      agentId: plan?.found.row.id ?? before.agentId,
      ...(isSame && fields.enabled ? { nextAt: before.nextAt, laterAt: before.laterAt } : nextOf(fields, times)),
      ...proofOfSchedule(caller),
      disabledBecause: fields.enabled || before.enabled ? null : before.disabledBecause,
      updatedAt: new Date(clock.now()),
    }
    await schedules.change(before, after, actorOf(caller)).catch(refuseChanged)
    return this.get(caller, id)
  }

  /** Its active runs go on. Throws `NOT_FOUND`, `AUDIT_REFUSED`. */
  async remove(caller: Caller, id: string): Promise<void> {
    if (!isUuid(id) || !(await this.#deps.schedules.remove(caller.userId, id, actorOf(caller)))) throw notFound()
  }

  /** Puts a run of it into the line, also if it is switched off. Its next times stay. */
  async run(caller: Caller, id: string): Promise<CodingSession> {
    const { schedules, announce } = this.#deps
    const row = await this.#require(caller, id)
    const plan = await this.#plan(caller, row, row.agent.name)
    await schedules.start(row, { plan, actor: actorOf(caller) }).catch(refuseChanged)
    return announce(plan.found.row.id, plan.run.id)
  }

  #plan(caller: Caller, fields: ScheduleFields, agent: string | undefined): Promise<Plan> {
    const { planner, newId } = this.#deps
    return planner.plan(caller, requestOf(fields, agent), newId(), continuesNone)
  }

  async #require({ userId }: Caller, id: string): Promise<ScheduleRow> {
    const row = isUuid(id) ? await this.#deps.schedules.find(userId, id) : null
    if (!row) throw notFound()
    return row
  }

  async #present(caller: Caller, rows: readonly ScheduleRow[]): Promise<Schedule[]> {
    const runs = await this.#deps.schedules.runs(
      caller,
      rows.flatMap(({ lastRunId }) => lastRunId ?? []),
    )
    return rows.map((row) => present(row, runs.find(({ id }) => id === row.lastRunId) ?? null))
  }
}

/** A schedule's tasks continue no earlier one. */
export const continuesNone = (): Promise<never> => Promise.reject(notFound())

/** What its runs depend on: the user, or the API token that made or changed it. */
const proofOfSchedule = (caller: Caller): Pick<NewSchedule, 'via' | 'viaId'> => {
  const { kind, id } = proofOf(asHandedIn(caller).via)
  return { via: kind, viaId: id }
}

/** What is stored of its next times. */
export const nextOf = ({ enabled }: ScheduleFields, [nextAt, ...laterAt]: readonly Date[]): NextTimes =>
  enabled && nextAt !== undefined ? { nextAt, laterAt } : { nextAt: null, laterAt: [] }

const refuseChanged = (error: unknown): never => {
  if (error instanceof ScheduleChanged)
    throw new AppError('WRONG_STATE', 'The schedule was changed at the same time. Try again.')
  throw error
}
