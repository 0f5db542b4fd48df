/** Starts runs: their program, or their place in line. */
import { randomUUID } from 'node:crypto'
import type { RunRequest } from '@slipway/protocol'
import { AppError, notFound } from '../../../lib/errors.ts'
import { LOG_BYTES_MAX, type Program, type ProgramSpec } from '../../../runtime/program.ts'
import type { Arrival } from '../../access/loss.ts'
import { agentEvent } from '../../agents/recorded.ts'
import { actorOf, type Caller } from '../../identity/caller.ts'
import type { Reading } from '../../providers/headless/headless.ts'
import { canUse, servicesFor, TERMINAL } from '../../providers/launch.ts'
import { engineUnavailable, notRunning } from '../../sessions/ending.ts'
import { asFailure } from '../../sessions/failure.ts'
import type { OpenProgram } from '../../sessions/programs.ts'
import { sessionEnvironment } from '../../sessions/start/environment.ts'
import { loginArgv } from '../../sessions/start/login.ts'
import { startSession } from '../../sessions/start/start.ts'
import { beginChanges, forgetChanges, RunChanges } from '../changes/changes.ts'
import { lineRefusal } from '../line/repository.ts'
import { replay } from '../live-runs.ts'
import { Masking } from '../output/masking.ts'
import { RunReader } from '../output/reader.ts'
import { requireFolder } from '../../sessions/start/folder.ts'
import { requireCli, requireKey } from './checks.ts'
import { withoutSkills } from '../../skills/task-skills.ts'
import { asksPeople, followed } from '../people/policy.ts'
import { Told } from '../people/told.ts'
import { asStartFailure, claimOf } from './claim.ts'
import { withoutInput } from './mode.ts'
import { placed } from './place.ts'
import type { FindRun, Plan } from './plan.ts'
import { startWithRootFile } from './root-file.ts'
import type { StarterDeps } from './starter-deps.ts'
import { type GateRow, gateOf, newGate, resumption } from '../gate/standing.ts'
import type { Held, RecordRun, RunRow } from '../repository.ts'

/** How long a program waits for the next server, in seconds: a day. Its output and its end are kept as long. */
export const KEEP_SECONDS = 86_400

/** Size of the terminal in the mode `pty`. Some CLIs break longer lines. */
const PTY_SIZE = { cols: 200, rows: 50 }

/** What the earlier processes of a run leave to the next one. */
type Earlier = Pick<RunRow, 'startTree' | 'personal'> & GateRow

/** Why a run that may wait in line does so. */
const QUEUES: ReadonlySet<string> = new Set(['TOO_MANY_TASKS', 'SESSION_IN_USE', 'WRONG_STATE', 'ENGINE_UNAVAILABLE'])

export class RunStarter {
  readonly #deps: StarterDeps

  constructor(deps: StarterDeps) {
    this.#deps = deps
  }

  /**
   * Starts a run with this id, or puts it into the line if it may wait. Answers its agent's id. If it can do neither,
   * nothing of it is left.
   */
  async start(caller: Caller, body: RunRequest, id: string, find: FindRun): Promise<string> {
    const { planner, programs, line, repository } = this.#deps
    const arrival = programs.arrive()
    const plan = await planner.plan(caller, body, id, find)
    const { run, found } = plan
    if (run.mode === 'interactive') {
      await this.#deps.interactive.start(caller, plan, arrival)
      return found.row.id
    }
    // Those who wait already are first.
    if (run.queue && (await line.countQueued(caller.userId)) > 0) await this.#queue(caller, plan)
    else
      try {
        await this.#startNow(caller, plan, arrival)
      } catch (error) {
        if (!run.queue || !(error instanceof AppError) || !QUEUES.has(error.code)) throw error
        // Its row is there if it was ended while it started.
        const isStored = (await repository.byId(id)) !== null
        // The start may have recorded the session.
        if (!isStored) await this.#queue(caller, { ...plan, run: { ...run, sessionId: randomUUID() } })
      }
    return found.row.id
  }

  /**
   * Starts a run that waits. `arrival` is from before its user's rights were looked up. Answers false if it does not wait
   * any more. Throws why it cannot start now.
   */
  async startWaiting(
    plan: Plan,
    from: Pick<RunRow, 'id' | 'generation' | 'state' | 'cliSessionId' | 'lastSeq' | keyof Earlier>,
    arrival: Arrival,
  ): Promise<boolean> {
    const { programs, line, leases, repository, spending, clock } = this.#deps
    const { run } = plan
    await spending.require(run.userId)
    const others = await line.heldBesides(programs)
    const open = programs.admit(claimOf(plan, run.sessionId), arrival, others)
    try {
      const begin = (): Promise<number | null> =>
        line.begin(from, run.sessionId, new Date(clock.now()), run.policy ?? null)
      const generation = await leases.forRun(run, plan.options.resume, begin)
      if (generation === null) {
        programs.release(open)
        return false
      }
      const held = { id: run.id, generation }
      if (run.cliSessionId !== null) await repository.named(held, run.cliSessionId)
      await this.#launch(open, plan, held, from)
      return true
    } catch (error) {
      programs.release(open)
      throw asStartFailure(error)
    }
  }

  async #startNow(caller: Caller, plan: Plan, arrival: Arrival): Promise<void> {
    const { programs, line, leases, repository, spending } = this.#deps
    const { id, userId } = plan.run
    await spending.require(userId)
    const others = await line.heldBesides(programs)
    const open = programs.admit({ ...claimOf(plan, id), askedBy: caller }, arrival, others)
    try {
      await leases.forRun(plan.run, plan.options.resume, async () => {
        if (!(await repository.create(plan.run, 'starting'))) throw notFound()
      })
      const earlier = { startTree: null, personal: false, ...newGate(plan.run.gateRepairs) }
      await this.#launch(open, plan, { id, generation: 1 }, earlier)
    } catch (error) {
      programs.release(open)
      // A failure of this must not hide why it did not start. A later round sweeps what is left.
      await repository.forget(id).catch(() => undefined)
      this.#deps.places.look()
      throw asStartFailure(error)
    }
  }

  async #queue(caller: Caller, { run, found: { row, relation } }: Plan): Promise<void> {
    const { repository, audit } = this.#deps
    const facts = { sessionId: run.id, taskId: run.id, provider: run.provider, relation }
    const entry = { actor: actorOf(caller), action: 'task.queued', ...agentEvent(row, facts) } as const
    const record: RecordRun = async (tx) => {
      const refusal = await lineRefusal(tx, run.userId)
      if (refusal) throw refusal
      await audit.record(tx, entry)
    }
    if (!(await repository.create({ ...run, cliSessionId: null }, 'queued', record))) throw notFound()
  }

  async #launch(open: OpenProgram, plan: Plan, held: Held, earlier: Earlier): Promise<void> {
    const { startTree: firstTree, personal: wasPersonal } = earlier
    const { found, provider } = plan
    const { agents, skills, runtime, provisioner, records, repository, holder, lives, changes, folder, clock } =
      this.#deps
    const before = open.ending()
    if (before) throw asFailure(before)
    const { row } = found
    const { runningId, reason } = agents.snapshot(row)
    if (runningId === null)
      throw asFailure(reason?.code === 'engine_unavailable' ? engineUnavailable : notRunning(row.name))
    const at = await placed(this.#deps.places, plan, held, runningId)
    const { run } = at
    let begun = Promise.resolve(firstTree)
    let startTree = firstTree
    let opening: Uint8Array | null = null
    // What the CLI gets once its skills are chosen.
    let given = withoutSkills(at.options)
    const forget = async (): Promise<void> => {
      void skills.ended(run.id)
      if ((await begun) !== null) await forgetChanges(changes, runningId, run.id)
    }
    const masking = new Masking()
    const provide = (caller: Caller) => provisioner.provideTask(caller, row, provider.headless)
    const program = await startSession({ provisioner: { provide }, records }, open, {
      facts: { provider: run.provider },
      ended: open.ending,
      start: async (provision): Promise<Program> => {
        const { headless, services, key, plainArgv } = provider
        // Beside the other looks: it is an exec of its own.
        if (firstTree === null) begun = beginChanges(changes, runningId, run)
        await requireCli(this.#deps.installed, runningId, row.name, provider)
        const { env, given: usable } = provision.environment(servicesFor(services))
        requireKey(provider, env)
        const secret = key && provision.key(key.service)
        const keys = { hasKey: canUse(services, usable), variables: env }
        const isPlain = run.mode === 'pty' && plainArgv !== null
        const { servers, secrets } = provision.connectors
        masking.learn(secrets)
        const people = asksPeople(run.policy) ? headless.people : undefined
        const { id, userId, prompt } = run
        const task = { id, userId, prompt, agentId: row.id, containerId: runningId, variables: env, isPlain }
        given = await skills.give({ ...task, options: at.options, headless })
        const { options } = given
        const own = (people ?? headless).program({ ...options, ...keys, servers: isPlain ? [] : servers })
        if (isPlain) await requireFolder(runtime, runningId, options.folder)
        const io: ProgramSpec['io'] = isPlain
          ? { kind: 'terminal', ...PTY_SIZE, notice: null }
          : { kind: 'pipes', stdin: people ? 'open' : own.stdin }
        if (people) opening = own.stdin
        const approval = this.#deps.approvals.approve(runningId, env)
        // Read to its end before the program can write.
        const personal = open.personal && !wasPersonal ? repository.becomePersonal(held) : null
        const [tree] = await Promise.all([begun, approval, personal])
        startTree = tree
        if (tree !== null && firstTree === null) await repository.began(held, tree)
        const spec: ProgramSpec = {
          session: run.sessionId,
          argv: loginArgv(isPlain ? withoutInput(plainArgv({ ...options, ...keys })) : own.argv),
          // The driver's variables win: some keep the CLI from asking, or from a server of its own choice.
          env: sessionEnvironment(
            isPlain ? TERMINAL : {},
            env,
            key === null || secret === null ? {} : { [key.variable]: secret },
            own.env,
            given.env,
          ),
          folder: options.folder,
          io,
          keepSeconds: KEEP_SECONDS,
          logBytes: LOG_BYTES_MAX,
          whenFull: 'block',
        }
        return startWithRootFile(runtime, runningId, spec, own.rootFile)
      },
    }).catch((error: unknown) => {
      void forget()
      return Promise.reject(error)
    })
    try {
      const { options, notice } = given
      const isActive = await repository.running(held)
      if (!isActive) throw new AppError('WRONG_STATE', 'The task was ended while it started.')
      // Not earlier: until this run is stored, another one may continue the session and end.
      const totalsBefore = await repository.totalsBefore({ ...run, resumed: options.resume })
      const output = followed(run) ?? provider.headless
      const newReading = (): Reading => output.read({ ...options, totalsBefore })
      const live = lives.get(run.id)
      if (open.personal || wasPersonal) live.becomePersonal()
      const past = replay(folder, held, live)
      const told = new Told()
      const reader = await RunReader.after({ newReading, masking }, told.noting(past.entries))
      const place = { after: past.end(), ranMs: earlier.workedMs, hasEnded: false }
      const begins = reader.seq === 0 ? null : reader.resume(resumption(earlier), clock.now())
      const of = new RunChanges(changes, { held, containerId: runningId, startTree, masking })
      await holder.hold({
        open,
        held,
        program,
        reader,
        live,
        changes: of,
        run: { ...run, spentUsd: earlier.spentUsd },
        gate: gateOf({ ...earlier, maxBudgetUsd: run.maxBudgetUsd }, false),
        begins,
        opening,
        isAsking: false,
        told,
        ...place,
      })
      if (notice !== null) holder.conductorOf(run.id)?.add?.({ type: 'status', status: 'notice', message: notice })
    } catch (error) {
      await program.hangUp().catch(() => undefined)
      void forget()
      lives.over(run.id)
      records.ended(run.sessionId, { reason: 'failed_to_start' })
      throw error
    }
  }
}
