/** Plans runs: checks a request, or a run that waits, and says which program is to start. */
import { randomUUID } from 'node:crypto'
import { CLI_SESSION_PATTERN, type RunRequest } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { AgentService, Found } from '../../agents/service.ts'
import { asHandedIn, type Caller, proofOf } from '../../identity/caller.ts'
import type { HeadlessOptions } from '../../providers/headless/headless.ts'
import { outputOf, type TaskProvider } from '../../providers/task-provider.ts'
import { folderOf } from '../../sessions/start/folder.ts'
import type { ProviderService } from '../cli-providers/service.ts'
import { continues } from '../line/repository.ts'
import type { RunRow } from '../repository.ts'
import type { NewRun } from '../new-run.ts'
import { asksPeople } from '../people/policy.ts'
import { permissionsOf, permissionsOfWaiting } from './policy.ts'
import { budgetLeft, gateIn } from '../gate/standing.ts'
import { validationOf } from './validation.ts'
import { modeOf, PTY_OUTPUT, sessionOf, timeoutOf } from './mode.ts'

const CLI_SESSION = new RegExp(CLI_SESSION_PATTERN)
/** What a CLI is told after a usage limit. Its own session has the task. */
export const CONTINUE = 'The usage limit is over. Continue with the task where you stopped.'

/** A session of a CLI to continue: of which agent and CLI it is, and the folder in which it works. */
type Continued = Pick<RunRow, 'agentId' | 'provider' | 'cwd' | 'cliSessionId'>

/** Finds the session of a run that the caller may see, or throws. */
export type FindRun = (id: string) => Promise<{ readonly run: Continued }>

/** What the platform asks of a run, and no request can. */
export interface Asked {
  /** Whether the session that it continues stays as it is, and a new one begins from it. Absent: no. */
  readonly forks?: boolean
}

/** A run that may start. */
export interface Plan {
  readonly found: Found
  readonly run: NewRun
  readonly provider: TaskProvider
  readonly options: HeadlessOptions
}

export interface PlannerDeps {
  readonly agents: Pick<AgentService, 'require' | 'only'>
  readonly providers: Pick<ProviderService, 'forTask'>
  readonly clock: Clock
}

export class RunPlanner {
  readonly #deps: PlannerDeps

  constructor(deps: PlannerDeps) {
    this.#deps = deps
  }

  /** The agent of a request. Throws if the caller may not start tasks in it. */
  locate(caller: Caller, { agent }: Pick<RunRequest, 'agent'>): Promise<Found> {
    const { agents } = this.#deps
    return agent === undefined ? agents.only(caller, 'task.start') : agents.require(caller, agent, 'task.start')
  }

  /** Throws if the caller may not start tasks there, or if the request is not valid. */
  async plan(
    caller: Caller,
    body: RunRequest,
    id: string,
    find: FindRun,
    { forks = false }: Asked = {},
  ): Promise<Plan> {
    const found = await this.locate(caller, body)
    const { row } = found
    const earlier = body.resume === undefined ? null : await this.#resumed(find, body.resume, row.id)
    const provider = await this.#deps.providers.forTask(caller, body.provider ?? earlier?.provider ?? row.runtime)
    const { headless, stored, timeoutSeconds: limits } = provider
    const mode = modeOf(body, provider, found)
    const { prompt = '' } = body
    const { policy, ...permissions } = permissionsOf(body, mode, provider, row)
    const { limitsTurns } = outputOf(headless, asksPeople(policy))
    if (body.max_turns !== undefined && limitsTurns === undefined) {
      const message = `body.max_turns: ${provider.label} does not tell its turns, so their number cannot be limited`
      throw new AppError('VALIDATION', message)
    }
    if (earlier && earlier.provider !== stored.provider)
      throw new AppError('VALIDATION', 'body.provider: must be that of the session to resume')
    const folder = earlier?.cwd ?? folderOf(body.cwd)
    const resume = earlier?.cliSessionId ?? null
    const options: HeadlessOptions = {
      prompt,
      folder,
      model: body.model ?? (stored.provider === row.runtime ? row.model : null),
      sessionId: randomUUID(),
      resume,
      forks,
      ...permissions,
      maxTurns: body.max_turns ?? null,
      maxBudgetUsd: body.max_budget_usd ?? null,
    }
    const timeoutSeconds = timeoutOf(mode, body.timeout_seconds, limits)
    const refusal = headless.refusal?.(options) ?? null
    if (refusal !== null) throw new AppError('VALIDATION', `body.${refusal}`)
    const { kind: via, id: viaId } = proofOf(asHandedIn(caller).via)
    const run: NewRun = {
      id,
      mode,
      agentId: row.id,
      agentName: row.name,
      userId: caller.userId,
      ...stored,
      ...(mode === 'pty' && { outputFormat: PTY_OUTPUT }),
      prompt,
      cwd: folder,
      model: options.model,
      maxTurns: options.maxTurns,
      maxBudgetUsd: options.maxBudgetUsd,
      timeoutSeconds,
      resumed: resume,
      forks,
      sessionId: id,
      via,
      viaId,
      queue: body.queue ?? false,
      waitsForLimit: body.wait_for_limit ?? true,
      policy,
      worktree: body.worktree ?? null,
      ...gateIn(body),
      ...validationOf(found, body),
      createdAt: new Date(this.#deps.clock.now()),
      cliSessionId: sessionOf(mode, provider, options, asksPeople(policy)),
    }
    return { found, run, provider, options }
  }

  /** The run whose conversation continues. */
  async #resumed(find: FindRun, id: string, agentId: string): Promise<Continued> {
    const { run } = await find(id)
    const { cliSessionId } = run
    if (run.agentId !== agentId) throw new AppError('VALIDATION', 'body.resume: this session belongs to another agent')
    if (cliSessionId === null || !CLI_SESSION.test(cliSessionId))
      throw new AppError('VALIDATION', 'body.resume: the CLI has not named its session, so it cannot continue')
    return run
  }

  /** Plans the next process of a run that waits. Throws if its provider is gone. */
  async again(found: Found, run: RunRow): Promise<Plan> {
    const provider = await this.#deps.providers.forTask(found.caller, run.provider)
    const { headless, stored } = provider
    const goesOn = continues(run)
    const { policy, ...permissions } = permissionsOfWaiting(run, run.mode, provider, found.row)
    const options: HeadlessOptions = {
      prompt: goesOn ? (run.repairPrompt ?? CONTINUE) : run.prompt,
      folder: run.cwd,
      model: run.model,
      sessionId: randomUUID(),
      resume: goesOn ? run.cliSessionId : run.resumed,
      forks: !goesOn && run.forks === true,
      ...permissions,
      maxTurns: run.maxTurns,
      maxBudgetUsd: budgetLeft(run),
    }
    // One that has begun to start since may have recorded that session.
    const sessionId = run.state === 'queued' && run.generation === 1 ? run.sessionId : randomUUID()
    const cliSessionId = outputOf(headless, asksPeople(policy)).read(options).verdict().sessionId
    return {
      found,
      run: {
        ...run,
        ...stored,
        policy,
        agentId: found.row.id,
        sessionId,
        cliSessionId,
      },
      provider,
      options,
    }
  }
}
