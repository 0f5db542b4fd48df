/** Starts the runs of schedules when their times come. */
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Loss } from '../../access/loss.ts'
import type { Found } from '../../agents/service.ts'
import { actorOf } from '../../identity/caller.ts'
import type { Standing } from '../../sessions/recovery/reinstate.ts'
import { requestOf } from '../stored-task.ts'
import type { ScheduleMetrics } from './metrics.ts'
import { type Outcome, ScheduleChanged, type ScheduleRow } from './repository.ts'
import { continuesNone, nextOf, type ScheduleDeps } from './service.ts'
import { type Advance, advance, timesAfter } from './times.ts'

/**
 * Without a look for this long, in milliseconds, the server did not run. A time was missed if it is that long before the
 * first look after it. A restart of the server takes less.
 */
const GAP_MS = MINUTE_MS

const MISSED = 'The server did not run at this time.'
const USER_LOST = 'Its user may no longer start tasks in this agent.'
const TOKEN_LOST = 'Its API token is no longer valid, or may no longer start tasks in this agent.'

export interface SchedulerDeps extends ScheduleDeps {
  /** The user's current rights, or null. */
  readonly mayStill: (run: Standing) => Promise<Found | null>
  readonly metrics: Pick<ScheduleMetrics, 'passed'>
  readonly log: Log
}

export class Scheduler {
  readonly #deps: SchedulerDeps
  /** It has looked without a gap since this moment, in milliseconds since 1970. So looks may take long and miss nothing. */
  #since = 0
  /** The last moment at which it looked. */
  #seen = 0
  /** Whether the clock was set back since the next times were looked at. Before the first look it may have been. */
  #isSetBack = true

  constructor(deps: SchedulerDeps) {
    this.#deps = deps
  }

  /** Passes all times that have come. A failure concerns its schedule alone, and the next look tries again. */
  async look(): Promise<void> {
    const { schedules, metrics, log } = this.#deps
    const now = this.#see()
    if (this.#isSetBack) await this.#moveAllBack(now)
    this.#isSetBack = false
    for await (const id of schedules.due(new Date(now)))
      await this.#pass(id)
        .catch(ignoreChanged)
        .catch((error: unknown) => {
          metrics.passed('failed')
          log.error({ scheduleId: id, err: error }, 'a schedule failed')
        })
    this.#see()
  }

  /** Switches off the schedules whose right is lost. */
  async lost(loss: Loss): Promise<void> {
    const of = concernedBy(loss)
    if (of === null) return
    for (const row of await this.#deps.schedules.enabledOf(of))
      if (!(await this.#found(row))) await this.#disable(row).catch(ignoreChanged)
  }

  /** The present moment, in milliseconds since 1970. */
  #see(): number {
    const now = this.#deps.clock.now()
    if (now - this.#seen > GAP_MS) this.#since = now
    else this.#since = Math.min(this.#since, now)
    if (now < this.#seen) this.#isSetBack = true
    this.#seen = now
    return now
  }

  /** Next times from a clock that ran ahead are too late. A time that had its run meanwhile gets no second one. */
  async #moveAllBack(now: number): Promise<void> {
    const { schedules, log } = this.#deps
    for await (const id of schedules.ahead(new Date(now)))
      await this.#moveBack(id, now)
        .catch(ignoreChanged)
        .catch((error: unknown) => log.error({ scheduleId: id, err: error }, 'a schedule could not be moved back'))
  }

  async #moveBack(id: string, now: number): Promise<void> {
    const { schedules } = this.#deps
    const row = await schedules.byId(id)
    const times = row ? timesAfter(row, now) : []
    const [next] = times
    if (!row?.nextAt || !next || next >= row.nextAt) return
    await schedules.move(row, nextOf(row, times))
  }

  async #pass(id: string): Promise<void> {
    const { schedules, announce, metrics } = this.#deps
    const now = this.#see()
    // Read one by one: a prompt may have a mebibyte.
    const row = await schedules.byId(id)
    // Another backend was faster, or its user has just changed it.
    if (!row?.nextAt || row.nextAt.getTime() > now) return
    const found = await this.#found(row)
    if (!found) return this.#disable(row)
    const times = advanced(row, row.nextAt, now)
    // A new version of the time zone database, or of the library, may refuse what was valid.
    if (times instanceof AppError) return this.#disable(row, times.message)
    const { last, next } = times
    const isSkipped = row.missed === 'skip' && this.#since - last.getTime() > GAP_MS
    const outcome = isSkipped ? { skipped: MISSED } : await this.#plan(found, row)
    const passed = await schedules.pass(row, last, nextOf(row, next), outcome)
    if (passed === 'skipped') metrics.passed(isSkipped ? 'missed' : 'refused')
    if (passed !== 'run' || !('plan' in outcome)) return
    metrics.passed('run')
    await announce(row.agentId, outcome.plan.run.id)
  }

  async #plan({ caller, row: agent }: Found, row: ScheduleRow): Promise<Outcome> {
    const { planner, newId } = this.#deps
    try {
      const plan = await planner.plan(caller, requestOf(row, agent.name), newId(), continuesNone)
      return { plan, actor: actorOf(caller) }
    } catch (error) {
      if (error instanceof AppError) return { skipped: error.message }
      throw error
    }
  }

  #found({ userId, agentId, via, viaId }: ScheduleRow): Promise<Found | null> {
    return this.#deps.mayStill({ userId, agentId, via: { kind: via, id: viaId } })
  }

  async #disable(row: ScheduleRow, because = row.via === 'api_token' ? TOKEN_LOST : USER_LOST): Promise<void> {
    await this.#deps.schedules.disable(row, because, new Date(this.#deps.clock.now()))
  }
}

/** Another backend was faster, or its user has just changed it. Its next time asks again. */
const ignoreChanged = (error: unknown): void => {
  if (!(error instanceof ScheduleChanged)) throw error
}

const advanced = (row: ScheduleRow, from: Date, now: number): Advance | AppError => {
  try {
    return advance(row, from, now)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** The schedules that a loss may concern; null if none. A deleted agent or user has none any more. */
export const concernedBy = (loss: Loss) => {
  if (loss.kind === 'unshared') return { userId: loss.userId, agentId: loss.agentId }
  if (loss.kind !== 'revoked') return null
  const { revocation } = loss
  switch (revocation.kind) {
    case 'user':
      return { userId: revocation.userId }
    case 'api_token':
      return { viaId: revocation.tokenId }
    case 'sign_in':
      return null
  }
}
