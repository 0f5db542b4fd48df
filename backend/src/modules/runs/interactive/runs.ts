/** Starts interactive runs, and takes them up again. */
import type { ContainerRuntime } from '../../../runtime/port.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import type { Arrival } from '../../access/loss.ts'
import type { Found } from '../../agents/service.ts'
import type { AgentService } from '../../agents/service.ts'
import type { Provision } from '../../credentials/provision/provision.ts'
import type { Caller } from '../../identity/caller.ts'
import { servicesFor } from '../../providers/launch.ts'
import { disconnected } from '../../sessions/ending.ts'
import type { OpenProgram, Programs } from '../../sessions/programs.ts'
import { RUN_MODE, type SessionRecords } from '../../sessions/records/records.ts'
import type { TaskTerminal, TaskTerminals, TerminalTasks } from '../../sessions/task-terminals.ts'
import { beginChanges, type ChangeDeps, forgetChanges, RunChanges } from '../changes/changes.ts'
import type { InstalledClis } from '../cli-providers/installed.ts'
import type { RunHolder } from '../conduct/holder.ts'
import type { Leases } from '../lease/leases.ts'
import type { Spending } from '../ledger/spending.ts'
import type { LineRepository } from '../line/repository.ts'
import { type LiveRuns, replay } from '../live-runs.ts'
import { Masking } from '../output/masking.ts'
import type { Held, RunRepository, RunRow } from '../repository.ts'
import { requireFolder } from '../../sessions/start/folder.ts'
import { requireCli, requireKey } from '../start/checks.ts'
import { asStartFailure, claimOf } from '../start/claim.ts'
import { placed, type RunPlaces } from '../start/place.ts'
import type { Plan } from '../start/plan.ts'
import { type InteractiveDeps, type InteractiveParts, InteractiveRun } from './run.ts'

export interface InteractiveRunsDeps extends InteractiveDeps {
  readonly agents: Pick<AgentService, 'snapshot'>
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly installed: Pick<InstalledClis, 'has'>
  readonly programs: Programs
  readonly repository: RunRepository
  readonly records: Pick<SessionRecords, 'ended'>
  readonly line: Pick<LineRepository, 'heldBesides'>
  readonly leases: Pick<Leases, 'forRun'>
  readonly lives: LiveRuns
  readonly holder: RunHolder
  readonly changes: ChangeDeps
  readonly places: RunPlaces
  readonly spending: Pick<Spending, 'require'>
  /** A run of which no backend holds the terminal has ended. */
  readonly gone: TerminalTasks['gone']
}

/** What a run has that begins to follow its terminal. */
type Beginning = Pick<InteractiveParts, 'terminal' | 'open' | 'held' | 'run' | 'ranMs'> & {
  readonly containerId: string
  readonly startTree: string | null
  readonly personal: boolean
}

export class InteractiveRuns implements TerminalTasks {
  readonly #deps: InteractiveRunsDeps
  /** By the run's id: those whose terminals this backend has. */
  readonly #terminals = new Map<string, TaskTerminal>()
  #opener: TaskTerminals | null = null

  constructor(deps: InteractiveRunsDeps) {
    this.#deps = deps
  }

  openWith(opener: TaskTerminals): void {
    this.#opener = opener
  }

  /** The terminal of a run; null if this backend does not have it. */
  terminalOf(id: string): TaskTerminal | null {
    return this.#terminals.get(id) ?? null
  }

  /** Starts a run. If it cannot, nothing of it is left. Throws like `RunStarter.start`, and `TERMINAL_OPEN`. */
  async start(caller: Caller, plan: Plan, arrival: Arrival): Promise<void> {
    const { programs, line, leases, repository, spending } = this.#deps
    const { run, options } = plan
    await spending.require(run.userId)
    const others = await line.heldBesides(programs)
    const open = programs.admit({ ...claimOf(plan, run.id), askedBy: caller }, arrival, others)
    try {
      await leases.forRun(run, options.resume, async () => {
        if (!(await repository.create(run, 'starting'))) throw notFound()
      })
      await this.#launch(caller, open, plan)
    } catch (error) {
      programs.release(open)
      // A failure of this must not hide why it did not start. A later round sweeps what is left.
      await repository.forget(run.id).catch(() => undefined)
      this.#deps.places.look()
      throw asStartFailure(error)
    }
  }

  adopted(terminal: TaskTerminal, found: Found): void {
    void this.#adopt(terminal, found).catch((error: unknown) => {
      this.#deps.log.error({ sessionId: terminal.sessionId, err: error }, 'an interactive task could not be taken up')
      terminal.end(disconnected)
    })
  }

  gone: TerminalTasks['gone'] = (sessionId, reason) => this.#deps.gone(sessionId, reason)

  async #launch(caller: Caller, open: OpenProgram, plan: Plan): Promise<void> {
    const { runtime, installed, repository, changes, agents, places } = this.#deps
    const { found, provider } = plan
    const { row } = found
    const held: Held = { id: plan.run.id, generation: 1 }
    const { runningId } = agents.snapshot(row)
    const { run, options } = runningId === null ? plan : await placed(places, plan, held, runningId)
    const known: { containerId: string; startTree: string | null; personal: boolean } = {
      ...{ containerId: '', startTree: null, personal: false },
    }
    const prepare = async (id: string, given: Provision): Promise<void> => {
      known.containerId = id
      const begun = beginChanges(changes, id, run)
      void begun.then((tree) => (known.startTree = tree))
      requireKey(provider, given.environment(servicesFor(provider.services)).env)
      known.personal = open.personal = given.personal
      const personal = given.personal ? repository.becomePersonal(held) : null
      const folder = requireFolder(runtime, id, options.folder)
      const [tree] = await Promise.all([begun, folder, requireCli(installed, id, row.name, provider), personal])
      if (tree !== null) await repository.began(held, tree)
    }
    let terminal: TaskTerminal | null = null
    try {
      terminal = await this.#open({
        claim: { ...claimOf(plan, run.id), askedBy: caller, mode: provider.terminalMode ?? '', task: true },
        folder: options.folder,
        model: options.model,
        prompt: options.prompt,
        skips: options.skips,
        newSession: options.sessionId,
        resume: options.resume,
        facts: { provider: run.provider },
        prepare,
      })
      if (!(await repository.running(held))) throw new AppError('WRONG_STATE', 'The task was ended while it started.')
      await this.#hold({ terminal, open, held, run, ...known, ranMs: 0 })
    } catch (error) {
      terminal?.end(disconnected)
      if (known.startTree !== null) void forgetChanges(changes, known.containerId, run.id)
      throw error
    }
  }

  #open(request: Parameters<TaskTerminals['open']>[0]): Promise<TaskTerminal> {
    if (this.#opener === null) throw new Error('interactive runs have no terminals yet')
    return this.#opener.open(request)
  }

  async #adopt(terminal: TaskTerminal, found: Found): Promise<void> {
    const { repository, programs, agents, log } = this.#deps
    const { sessionId } = terminal
    const arrival = programs.arrive()
    const run = await repository.bySession(sessionId)
    const generation = run && (await repository.takeOver(run))
    // A user ended it while no backend held it, and only its terminal is left.
    if (!run || generation === null) return terminal.end(disconnected)
    const held: Held = { id: run.id, generation }
    const { runningId } = agents.snapshot(found.row)
    if (runningId === null || !(await repository.running(held))) return terminal.end(disconnected)
    const open = programs.adopt({ sessionId, ...found, mode: RUN_MODE }, arrival)
    log.info({ sessionId, agentId: found.row.id }, 'run taken over')
    // Only the wall clock is left, which may have been set back.
    const ranMs = Math.max(0, Date.now() - (run.startedAt ?? run.createdAt).getTime())
    const { startTree, personal } = run
    try {
      await this.#hold({ terminal, open, held, run, containerId: runningId, startTree, personal, ranMs })
    } catch (error) {
      programs.release(open)
      throw error
    }
  }

  async #hold({ containerId, startTree, personal, ...run }: Beginning): Promise<void> {
    const { lives, holder, changes, folder } = this.#deps
    const { held, open, terminal } = run
    const live = lives.get(held.id)
    if (personal) live.becomePersonal()
    let from = 0
    for await (const { offsets } of replay(folder, held, live).entries) from = offsets.stdout
    const masking = new Masking()
    const of = new RunChanges(changes, { held, containerId, startTree, masking })
    const begin = (): InteractiveRun => {
      const begun = new InteractiveRun(this.#deps, { ...run, live, changes: of, masking, from })
      this.#terminals.set(held.id, terminal)
      void begun.done.finally(() => {
        if (this.#terminals.get(held.id) === terminal) this.#terminals.delete(held.id)
      })
      return begun
    }
    try {
      await holder.holdOwn({ held, open, reader: masking }, begin)
    } catch (error) {
      lives.over(held.id)
      throw error
    }
  }
}

/** Whether a row is that of an interactive run. */
export const isInteractive = ({ mode }: Pick<RunRow, 'mode'>): boolean => mode === 'interactive'
