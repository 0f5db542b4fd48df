/** Puts together what a user needs to know at one look, in a number of queries that does not depend on what they have. */
import {
  AgentState,
  type Agent,
  type Dashboard,
  DASHBOARD_FIRST_HOURS,
  DASHBOARD_LISTED,
  type DashboardQuery,
  type DashboardTask,
} from '@slipway/protocol'
import { type Clock, DAY_MS, HOUR_MS } from '../../lib/time/clock.ts'
import { allows } from '../access/policy.ts'
import type { Board } from '../agents/state/board.ts'
import type { DialogService } from '../dialogs/service.ts'
import type { Caller } from '../identity/caller.ts'
import { labelOfRun } from '../providers/task-provider.ts'
import { isAsking, shortened } from '../runs/view.ts'
import type { DashboardRepository, Listed, ScheduleRow, TaskRow } from './repository.ts'

interface Deps {
  readonly repository: DashboardRepository
  readonly dialogs: Pick<DialogService, 'needing'>
  readonly board: Pick<Board, 'get'>
  readonly clock: Clock
}

export class DashboardService {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  async look(caller: Caller, { dayFrom }: DashboardQuery): Promise<Dashboard> {
    const { repository, dialogs, clock } = this.#deps
    const now = clock.now()
    const from = dayFrom === undefined ? new Date(now - (now % DAY_MS)) : new Date(dayFrom)
    const marked = await repository.seenUntil(caller.userId)
    const since = marked ?? new Date(now - DASHBOARD_FIRST_HOURS * HOUR_MS)
    const [needsYou, active, ended, cost, schedules, agents] = await Promise.all([
      dialogs.needing(caller, DASHBOARD_LISTED),
      repository.active(caller, DASHBOARD_LISTED),
      repository.ended(caller, since, DASHBOARD_LISTED),
      repository.costSince(caller, from),
      repository.schedules(caller, DASHBOARD_LISTED),
      allows(caller, 'agents.list') ? this.#agents(caller) : null,
    ])
    return {
      at: new Date(now).toISOString(),
      needsYou,
      active: tasksOf(active),
      ended: { ...tasksOf(ended), since: since.toISOString() },
      agents,
      today: { from: from.toISOString(), ...cost },
      schedules: { ...schedules, items: schedules.items.map(toSchedule) },
    }
  }

  /** What ended until then is not new any more. A later moment than now counts as now. */
  async markSeen({ userId }: Caller, until: Date): Promise<void> {
    const { repository, clock } = this.#deps
    await repository.markSeen(userId, new Date(Math.min(until.getTime(), clock.now())))
  }

  async #agents(caller: Caller): Promise<Dashboard['agents']> {
    const ids = await this.#deps.repository.agentIds(caller)
    const byState = Object.fromEntries(AgentState.anyOf.map(({ const: state }) => [state, 0])) as Record<
      Agent['state'],
      number
    >
    for (const id of ids) byState[this.#deps.board.get(id).state] += 1
    return { total: ids.length, byState }
  }
}

const tasksOf = ({ items, total }: Listed<TaskRow>): Dashboard['active'] => ({
  items: items.map((row) => shortened(toTask(row))),
  total,
})

const toTask = (row: TaskRow): DashboardTask => ({
  id: row.id,
  agent: row.agentId === null ? null : row.agentName,
  provider: row.provider,
  displayName: labelOfRun(row),
  state: isAsking(row) ? 'waiting' : row.state,
  mode: row.mode,
  waitsFor: isAsking(row) ? 'person' : row.state === 'waiting' ? 'usage_limit' : null,
  prompt: row.prompt,
  userId: row.userId,
  createdAt: row.createdAt.toISOString(),
  startedAt: row.startedAt?.toISOString() ?? null,
  completedAt: row.endedAt?.toISOString() ?? null,
  reason: row.reason,
  error: row.error,
  costUsd: row.costUsd,
  costEstimated: row.costEstimated,
})

const toSchedule = ({ nextAt, ...schedule }: ScheduleRow): Dashboard['schedules']['items'][number] => ({
  ...schedule,
  nextRun: nextAt.toISOString(),
})
