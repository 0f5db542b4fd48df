/** What the tools do: the same as the routes of tasks, with answers for models. */
import {
  type GetTaskResult,
  type ListCodingAgents,
  type ListTaskResults,
  type RunCodingTask,
  TOOL_LIST_DEFAULT,
  TOOL_LIST_MAX,
} from '@slipway/protocol'
import { assertAllowed } from '../access/plugin.ts'
import { allows } from '../access/policy.ts'
import type { AgentService } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { StatusService } from '../runs/cli-providers/status.ts'
import type { RunRow } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'
import { toResult, toSession } from '../runs/view.ts'
import { type Answer, ofActive, ofAgents, ofResult, ofTasks } from './answers.ts'
import type { TaskWaits, Waiter } from './waits.ts'

export interface ToolDeps {
  readonly runs: Pick<RunService, 'create' | 'list' | 'results'>
  readonly agents: Pick<AgentService, 'list'>
  readonly status: Pick<StatusService, 'all'>
  readonly waits: Pick<TaskWaits, 'ended'>
}

/** Each method checks the caller's right first, and throws what the service of the same route throws. */
export class TaskTools {
  readonly #deps: ToolDeps

  constructor(deps: ToolDeps) {
    this.#deps = deps
  }

  /** Starts a task and waits for its end. */
  async run(caller: Caller, input: RunCodingTask, waiter: Waiter): Promise<Answer> {
    assertAllowed(caller, 'task.start')
    const { runs, waits } = this.#deps
    // A model does not wait for hours. It can choose another CLI.
    const session = await runs.create(caller, { ...input, wait_for_limit: false }, undefined)
    try {
      return ofRow(await waits.ended(caller, session.id, waiter))
    } catch {
      // The task has started all the same, so the answer must name it. `get_task_result` says what is wrong.
      return ofActive(session)
    }
  }

  /** Waits for the end of a task. */
  async result(caller: Caller, { result_id: id }: GetTaskResult, waiter: Waiter): Promise<Answer> {
    assertAllowed(caller, 'task.view')
    return ofRow(await this.#deps.waits.ended(caller, id, waiter))
  }

  /** The caller's tasks: active ones, then those that have ended, the newest first. */
  async results(caller: Caller, { limit = TOOL_LIST_DEFAULT }: ListTaskResults): Promise<Answer> {
    assertAllowed(caller, 'tasks.list')
    const { runs } = this.#deps
    const [recent, { items }] = await Promise.all([runs.list(caller), runs.results(caller, { limit })])
    const active = recent.filter(({ completedAt }) => completedAt === null)
    return ofTasks([...active, ...items].slice(0, limit))
  }

  /** The caller's agents, and the CLIs of one of them: of the named one, or of the only one if it runs. */
  async agents(caller: Caller, { agent }: ListCodingAgents): Promise<Answer> {
    assertAllowed(caller, 'task.view')
    const { agents, status } = this.#deps
    if (agent !== undefined) return ofAgents([], await status.all(caller, agent), agent)
    const { items } = await agents.list(caller, { limit: TOOL_LIST_MAX, after: null })
    const usable = items.filter(({ relation }) => allows(caller, 'task.view', relation))
    const [only, another] = usable.filter(({ state }) => state === 'running')
    const one = only && !another ? only.name : null
    return ofAgents(usable, one === null ? [] : await status.all(caller, one), one)
  }
}

const ofRow = (row: RunRow): Answer => {
  const result = toResult(row)
  return result ? ofResult(result) : ofActive(toSession(row))
}
