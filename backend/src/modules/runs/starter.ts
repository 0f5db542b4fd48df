/** Starts runs: checks the request, and starts its program. */
import { randomUUID } from 'node:crypto'
import { AGENT_HOME, CLI_SESSION_PATTERN, type CreateCodingSession } from '@slipway/protocol'
import type { Clock } from '../../lib/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import { asAppError } from '../../runtime/app-error.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { LOG_BYTES_MAX, type Program } from '../../runtime/program.ts'
import type { AgentService, Found } from '../agents/service.ts'
import type { Provisioner } from '../credentials/provision.ts'
import { asHandedIn, type Caller } from '../identity/caller.ts'
import type { HeadlessOptions } from '../providers/headless/headless.ts'
import { canUse, servicesFor } from '../providers/launch.ts'
import type { TaskProvider } from '../providers/task-provider.ts'
import { engineUnavailable, notRunning } from '../sessions/ending.ts'
import { asFailure } from '../sessions/failure.ts'
import type { OpenProgram, Programs } from '../sessions/programs.ts'
import { RUN_MODE, type SessionRecords } from '../sessions/records/records.ts'
import { sessionEnvironment } from '../sessions/start/environment.ts'
import type { KeyApprovals } from '../sessions/start/key-approvals.ts'
import { loginArgv } from '../sessions/start/login.ts'
import { EndedBeforeStart, startSession } from '../sessions/start/start.ts'
import { beginChanges, type ChangeDeps, forgetChanges, RunChanges } from './changes/changes.ts'
import type { InstalledClis } from './cli-providers/installed.ts'
import type { ProviderService } from './cli-providers/service.ts'
import { LiveRun } from './follow.ts'
import type { RunHolder } from './holder.ts'
import { Masking } from './output/masking.ts'
import type { Spending } from './ledger/spending.ts'
import { RunReader } from './output/reader.ts'
import type { NewRun, RunRepository, RunRow } from './repository.ts'

/** How long a program waits for the next server, in seconds: a day. Its output and its end are kept as long. */
export const KEEP_SECONDS = 86_400
const CLI_SESSION = new RegExp(CLI_SESSION_PATTERN)

export interface StarterDeps {
  readonly agents: Pick<AgentService, 'require' | 'snapshot' | 'only'>
  readonly runtime: Pick<ContainerRuntime, 'start'>
  readonly provisioner: Pick<Provisioner, 'provide'>
  readonly approvals: Pick<KeyApprovals, 'approve'>
  readonly providers: Pick<ProviderService, 'forTask'>
  readonly installed: Pick<InstalledClis, 'has'>
  readonly programs: Programs
  readonly records: Pick<SessionRecords, 'begin' | 'running' | 'ended'>
  readonly repository: RunRepository
  readonly holder: RunHolder
  readonly changes: ChangeDeps
  readonly spending: Pick<Spending, 'require'>
  readonly clock: Clock
}

/** Finds a run that the caller may see, or throws. */
type FindRun = (id: string) => Promise<{ readonly run: RunRow }>

/** A request for a run, checked. */
interface Plan {
  readonly found: Found
  readonly run: NewRun
  readonly provider: TaskProvider
  readonly options: HeadlessOptions
}

const inUse = (): AppError => new AppError('SESSION_IN_USE', 'Another task continues this session. Wait for its end.')

export class RunStarter {
  readonly #deps: StarterDeps
  /** The sessions of CLIs that runs are being stored for. */
  readonly #leases = new Set<string>()

  constructor(deps: StarterDeps) {
    this.#deps = deps
  }

  /** Starts a run with this id. Answers its agent's id. If it cannot start, nothing of it is left. */
  async start(caller: Caller, body: CreateCodingSession, id: string, find: FindRun): Promise<string> {
    const { repository, programs } = this.#deps
    const arrival = programs.arrive()
    const plan = await this.#plan(caller, body, id, find)
    const { row, relation } = plan.found
    await this.#deps.spending.require(caller.userId)
    const claim = { sessionId: id, caller: asHandedIn(caller), askedBy: caller, row, relation, mode: RUN_MODE }
    const open = programs.admit(claim, arrival)
    try {
      await this.#store(plan)
      await this.#start(open, plan)
    } catch (error) {
      programs.release(open)
      // A failure of this must not hide why it did not start. A later round sweeps what is left.
      await repository.forget(id).catch(() => undefined)
      throw asStartFailure(error)
    }
    return row.id
  }

  /** Of two requests that continue one session of a CLI, the second is refused. */
  async #store({ run, options: { resume } }: Plan): Promise<void> {
    const { repository } = this.#deps
    const lease = `${run.agentId} ${resume ?? run.id}`
    if (this.#leases.has(lease)) throw inUse()
    // Held until the row says it.
    this.#leases.add(lease)
    try {
      if (resume !== null && (await repository.isContinued(run.agentId, resume))) throw inUse()
      if (!(await repository.create(run))) throw notFound()
    } finally {
      this.#leases.delete(lease)
    }
  }

  /** The agent of a request. Throws if the caller may not start tasks in it. */
  locate(caller: Caller, { agent }: Pick<CreateCodingSession, 'agent'>): Promise<Found> {
    const { agents } = this.#deps
    return agent === undefined ? agents.only(caller, 'task.start') : agents.require(caller, agent, 'task.start')
  }

  async #plan(caller: Caller, body: CreateCodingSession, id: string, find: FindRun): Promise<Plan> {
    const found = await this.locate(caller, body)
    const { row } = found
    const earlier = body.resume === undefined ? null : await this.#resumed(find, body.resume, row.id)
    const provider = await this.#deps.providers.forTask(caller, body.provider ?? earlier?.provider ?? row.runtime)
    const { headless, stored, timeoutSeconds: limits } = provider
    if (body.max_turns !== undefined && headless.limitsTurns === undefined) {
      const message = `body.max_turns: ${provider.label} does not tell its turns, so their number cannot be limited`
      throw new AppError('VALIDATION', message)
    }
    if (earlier && earlier.provider !== stored.provider)
      throw new AppError('VALIDATION', 'body.provider: must be that of the session to resume')
    const folder = earlier?.cwd ?? folderOf(body.cwd)
    const resume = earlier?.cliSessionId ?? null
    const options: HeadlessOptions = {
      prompt: body.prompt,
      folder,
      model: body.model ?? (stored.provider === row.runtime ? row.model : null),
      sessionId: randomUUID(),
      resume,
      skips: row.skipPermissions,
      maxTurns: body.max_turns ?? null,
      maxBudgetUsd: body.max_budget_usd ?? null,
    }
    const timeoutSeconds = body.timeout_seconds ?? limits.default
    if (timeoutSeconds > limits.max)
      throw new AppError('VALIDATION', `body.timeout_seconds: must be <= ${limits.max} for this provider`)
    const refusal = headless.refusal?.(options) ?? null
    if (refusal !== null) throw new AppError('VALIDATION', `body.${refusal}`)
    const run: NewRun = {
      id,
      agentId: row.id,
      agentName: row.name,
      userId: caller.userId,
      ...stored,
      prompt: body.prompt,
      cwd: folder,
      model: options.model,
      timeoutSeconds,
      maxTurns: options.maxTurns,
      maxBudgetUsd: options.maxBudgetUsd,
      resumed: resume,
      createdAt: new Date(this.#deps.clock.now()),
      cliSessionId: headless.read(options).verdict().sessionId,
    }
    return { found, run, provider, options }
  }

  /** The run whose conversation continues. */
  async #resumed(find: FindRun, id: string, agentId: string): Promise<RunRow> {
    const { run } = await find(id)
    const { cliSessionId } = run
    if (run.agentId !== agentId) throw new AppError('VALIDATION', 'body.resume: this session belongs to another agent')
    if (cliSessionId === null || !CLI_SESSION.test(cliSessionId))
      throw new AppError('VALIDATION', 'body.resume: the CLI has not named its session, so it cannot continue')
    return run
  }

  async #start(open: OpenProgram, { found, run, provider, options }: Plan): Promise<void> {
    const { agents, runtime, records, repository, holder, changes } = this.#deps
    const before = open.ending()
    if (before) throw asFailure(before)
    const { row } = found
    const { runningId, reason } = agents.snapshot(row)
    if (runningId === null)
      throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
    const held = { id: run.id, generation: 1 }
    let startTree: string | null = null
    const forget = (): void => {
      if (startTree !== null) void forgetChanges(changes, runningId, run.id)
    }
    const program = await startSession({ ...this.#deps, records }, open, {
      facts: { provider: run.provider },
      ended: open.ending,
      start: async (provision): Promise<Program> => {
        const { headless, services, key } = provider
        await this.#requireCli(runningId, row.name, provider)
        const { env, given } = provision.environment(servicesFor(services))
        const secret = key && provision.key(key.service)
        const { argv, env: own, stdin } = headless.program({ ...options, hasKey: canUse(services, given) })
        const approval = this.#deps.approvals.approve(runningId, env)
        // Read to its end before the program can write.
        const [tree] = await Promise.all([beginChanges(changes, runningId, run), approval])
        startTree = tree
        if (tree !== null) await repository.began(held, tree)
        return runtime.start(runningId, {
          session: run.id,
          argv: loginArgv(argv),
          // The driver's variables win: some keep the CLI from asking, or from a server of its own choice.
          env: sessionEnvironment(env, key === null || secret === null ? {} : { [key.variable]: secret }, own),
          folder: options.folder,
          io: { kind: 'pipes', stdin },
          keepSeconds: KEEP_SECONDS,
          logBytes: LOG_BYTES_MAX,
          whenFull: 'block',
        })
      },
    }).catch((error: unknown) => {
      forget()
      return Promise.reject(error)
    })
    try {
      const isActive = await repository.running(held, open.personal)
      if (!isActive) throw new AppError('WRONG_STATE', 'The task was ended while it started.')
      const masking = new Masking()
      // Not earlier: until this run is stored, another one may continue the session and end.
      const totalsBefore = await repository.totalsBefore(run)
      const reader = RunReader.new({ reading: provider.headless.read({ ...options, totalsBefore }), masking })
      const live = new LiveRun(run.id, held.generation)
      const of = new RunChanges(changes, { held, containerId: runningId, startTree, masking })
      await holder.hold({ open, held, program, reader, after: null, live, changes: of, run, ranMs: 0, hasEnded: false })
    } catch (error) {
      await program.hangUp().catch(() => undefined)
      forget()
      records.ended(run.id, { reason: 'failed_to_start' })
      throw error
    }
  }

  /** Throws `CLI_NOT_INSTALLED` with the command that installs it. */
  async #requireCli(
    containerId: string,
    agent: string,
    { label, binary, installCommand }: TaskProvider,
  ): Promise<void> {
    if (await this.#deps.installed.has(containerId, binary)) return
    const advice = installCommand === null ? '' : ` To install it, run in a terminal: ${installCommand}`
    throw new AppError('CLI_NOT_INSTALLED', `Agent '${agent}' has no ${binary}, the program of ${label}.${advice}`)
  }
}

const folderOf = (cwd = ''): string => (cwd.startsWith('/') ? cwd : `${AGENT_HOME}/${cwd}`.replace(/\/$/, ''))

const asStartFailure = (error: unknown): unknown => {
  if (error instanceof EndedBeforeStart) return asFailure(error.ending)
  if (error instanceof RuntimeError && error.code === 'bad_folder')
    return new AppError('VALIDATION', `body.cwd: must be a folder inside ${AGENT_HOME}`, { cause: error })
  return asAppError(error)
}
