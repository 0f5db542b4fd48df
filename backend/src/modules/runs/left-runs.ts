/** Takes up the runs that an earlier backend left, where their stored events end. */
import type { AgentRepository } from '../agents/repository.ts'
import type { Found } from '../agents/service.ts'
import type { Provisioner } from '../credentials/provision/provision.ts'
import type { HeadlessOutput, ReadOptions, Verdict } from '../providers/headless/headless.ts'
import { NOTHING_SAID } from '../providers/headless/parts/verdict.ts'
import { labelOfRun } from '../providers/task-provider.ts'
import type { Programs } from '../sessions/programs.ts'
import { RUN_MODE, type SessionRecords } from '../sessions/records/records.ts'
import { attachLeft, type LeftDeps, type LeftKind, leftRecoverer } from '../sessions/recovery/left.ts'
import type { Decide } from '../sessions/recovery/recovery.ts'
import type { LeftSession } from '../sessions/records/repository.ts'
import { type ChangeDeps, RunChanges } from './changes/changes.ts'
import { AGENT_GONE, endOf, type Outcome, RIGHT_LOST, type RunEnd } from './end.ts'
import { costOf, sharesOf } from './ledger/shares.ts'
import { endOfTerminal } from './interactive/end.ts'
import type { TerminalEnds } from './interactive/repository.ts'
import type { RunHolder } from './conduct/holder.ts'
import type { LineRepository, PutBack } from './line/repository.ts'
import { type LiveRuns, replay } from './live-runs.ts'
import { Masking } from './output/masking.ts'
import { type ReaderParts, RunReader } from './output/reader.ts'
import { followed } from './people/policy.ts'
import { Told } from './people/told.ts'
import type { RunRepository, RunRow } from './repository.ts'
import type { StoredRunEnd } from './stored-end.ts'
import { CONTINUE } from './start/plan.ts'
import { budgetLeft, gateOf } from './gate/standing.ts'
import type { Entry } from './transcript/entry.ts'
import { readTranscript } from './transcript/file.ts'

/** A run from the line whose start was interrupted by a crash starts again, three times at most. */
const AGAIN: PutBack = { startsMax: 3, from: ['starting'] }

/** A run that no backend holds. */
export type LeftRun = Pick<RunRow, 'id' | 'agentId' | 'personal'>

export interface LeftRunDeps extends LeftDeps {
  readonly records: Pick<SessionRecords, 'ended' | 'running'>
  readonly programs: Pick<Programs, 'arrive' | 'adopt' | 'release'>
  readonly repository: RunRepository
  readonly line: Pick<LineRepository, 'putBack'>
  readonly lives: LiveRuns
  readonly holder: RunHolder
  readonly provisioner: Pick<Provisioner, 'taskSecrets'>
  readonly agentRows: Pick<AgentRepository, 'byId'>
  readonly folder: string
  readonly changes: ChangeDeps
  /** The agent and the user's current relation to it; null if the user may no longer run tasks in it. */
  readonly mayStill: (session: LeftSession) => Promise<Found | null>
  /** Called after the end of a run was stored that no backend holds. */
  readonly ended: (run: LeftRun, end: RunEnd) => void
  /** How the terminal of an interactive run has ended, as its session says it. */
  readonly terminalEnds: Pick<TerminalEnds, 'of'>
}

export class LeftRuns {
  readonly #deps: LeftRunDeps

  constructor(deps: LeftRunDeps) {
    this.#deps = deps
  }

  /** Decides about each run that was left. */
  get decider(): () => Decide {
    const takeOver: LeftKind['takeOver'] = (session, containerId) => this.#takeOver(session, containerId)
    const storedEnd: LeftKind['storedEnd'] = async (sessionId) => {
      const run = await this.#deps.repository.bySession(sessionId)
      return run?.reason ? { reason: run.reason, exitCode: run.exitCode } : null
    }
    return leftRecoverer(this.#deps, { takeOver, storedEnd, ended: (id, reason) => void this.gone(id, reason) })
  }

  /**
   * Ends the runs from before a time of which no session is left: a backend was killed between two writes, or their agent
   * is gone.
   */
  async sweep(before: Date): Promise<void> {
    const { repository, line, holder } = this.#deps
    for (const run of await repository.orphans(before))
      // One from the line goes back there: its program had not started yet.
      if (!holder.conductorOf(run.id) && (run.agentId === null || !(await line.putBack(run, AGAIN)))) {
        const row = await repository.byId(run.id)
        const end = run.agentId === null ? AGENT_GONE : await this.#endOfOrphan(row)
        await this.#end(run, row ? { ...(await this.#said(row)).used, ...end } : end)
      }
  }

  /** A backend was killed after it had recorded the end of an interactive run's terminal, and before that of the run. */
  async #endOfOrphan(run: RunRow | null): Promise<RunEnd> {
    const ending = run?.mode === 'interactive' ? await this.#deps.terminalEnds.of(run.sessionId) : null
    if (!run || !ending) return LOST
    return endOfTerminal(ending, { provider: labelOfRun(run), agent: run.agentName }, 'Its user')
  }

  /** The session of a run has ended without a backend, for this reason. Never rejects. */
  async gone(sessionId: string, reason: string): Promise<void> {
    const { repository, line, log } = this.#deps
    try {
      const run = await repository.bySession(sessionId)
      // One that waits has ended its process, and goes on in a new session.
      if (!run || run.state === 'waiting' || run.state === 'queued') return
      // The container does not hold it, and would hold its end: its program had not started yet.
      const isUnstarted = run.state === 'starting' && reason !== 'access_revoked'
      if (isUnstarted && (await line.putBack(run, AGAIN))) return
      if (run.endedAt === null) await this.#end(run, await this.#endOf(reason, run))
      // A user ended it while no backend held it, so no backend has read yet what it used.
      else await repository.book(run, (await this.#said(run)).used)
      if (reason !== 'container_stopped') await this.#collect(run)
    } catch (error) {
      // The next round sweeps it.
      log.error({ sessionId, err: error }, 'the end of a run could not be stored')
    }
  }

  /** The changes of a run that has ended without a backend. Its processes are gone. */
  async #collect(run: RunRow): Promise<void> {
    const { board, agentRows, provisioner, changes } = this.#deps
    const row = run.agentId === null || run.startTree === null ? null : await agentRows.byId(run.agentId)
    const containerId = row && board.get(row.id).runningId
    if (!row || containerId === null) return
    const masking = new Masking(await provisioner.taskSecrets(run.userId, row))
    const late = new RunChanges(changes, { held: run, containerId, startTree: run.startTree, masking })
    await late.collectLate()
    await late.leave()
  }

  async #end(run: LeftRun, end: RunEnd): Promise<void> {
    const isActive = await this.#deps.repository.endLeft(run.id, end)
    if (isActive) this.#deps.ended(run, end)
  }

  async #endOf(reason: string, run: RunRow): Promise<RunEnd & Partial<StoredRunEnd>> {
    const { verdict, used } = await this.#said(run)
    const names = { provider: labelOfRun(run), agent: run.agentName }
    // It had said its last word. Only its exit was lost.
    const isDone = verdict.isOver && reason === 'server_killed'
    const done = isDone ? endOf({ kind: 'finished_without_exit' }, verdict, names) : endOfGone(reason, run)
    const end = done.state === 'completed' && run.gateRepairs !== null ? NOT_VALIDATED : done
    return { ...end, ...used }
  }

  /** What the stored lines say of a run that no backend can reach any more. */
  async #said(run: RunRow): Promise<{ readonly verdict: Verdict; readonly used: ReturnType<typeof usedBy> }> {
    const { folder, repository } = this.#deps
    const output = followed(run)
    if (!output) return { verdict: NOTHING_SAID, used: usedBy(NOTHING_SAID, run, run.lastSeq) }
    const options = await readOptions(repository, run)
    const newReading = newReadingOf(output, options, run)
    const entries = async function* (): AsyncGenerator<Entry> {
      for await (const { entry } of readTranscript(folder, run.id)) yield entry
    }
    const { seq, verdict } = await RunReader.after({ newReading, masking: new Masking() }, entries())
    return { verdict, used: usedBy(verdict, run, seq) }
  }

  async #takeOver(left: LeftSession, containerId: string): ReturnType<LeftKind['takeOver']> {
    const { runtime, programs, records, mayStill, repository, lives, holder, folder, changes, log } = this.#deps
    const arrival = programs.arrive()
    const [found, run] = await Promise.all([mayStill(left), repository.bySession(left.id)])
    if (!found) return 'access_revoked'
    const output = run && followed(run)
    if (!output) return 'server_killed'
    const generation = await repository.takeOver(run)
    // Its end is stored, and only its processes and its session are left.
    if (generation === null) return 'server_killed'
    const options = await readOptions(repository, run)
    const newReading = newReadingOf(output, options, run)
    const live = lives.get(run.id)
    if (run.personal) live.becomePersonal()
    const held = { id: run.id, generation }
    const earlier = replay(folder, held, live)
    const masking = new Masking()
    const told = new Told()
    const reader = await RunReader.after({ newReading, masking }, told.noting(earlier.entries))
    const attached = await attachLeft(
      runtime,
      containerId,
      left,
      run.mode === 'pty' ? 'terminal' : 'pipes',
      reader.offsets,
    )
    if (!attached) return 'server_killed'
    const { program, hasEnded } = attached
    if (left.leader === null) records.running(left.id, program.leader)
    if (!(await repository.running(held))) {
      program.release()
      return 'server_killed'
    }
    const open = programs.adopt({ sessionId: left.id, ...found, mode: RUN_MODE }, arrival)
    open.personal = left.personal
    log.info({ sessionId: left.id, agentId: left.agentId, userId: left.userId }, 'run taken over')
    // Only the wall clock is left, which may have been set back.
    const askedMs = run.askedMs + (run.asksSince === null ? 0 : Date.now() - run.asksSince.getTime())
    const sinceMs = Math.max(0, Date.now() - left.startedAt.getTime() - askedMs)
    // Its time was stored before it was validated.
    const isAgain = run.gateRepairs !== null && run.validation === 'running'
    const ranMs = run.workedMs + (isAgain ? 0 : sinceMs)
    const maxBudgetUsd = budgetLeft(run)
    try {
      const of = new RunChanges(changes, { held, containerId, startTree: run.startTree, masking })
      const asked = { opening: null, isAsking: run.asksSince !== null }
      const gate = gateOf(run, maxBudgetUsd, isAgain)
      const place = { after: earlier.end(), begins: null, gate, ranMs, hasEnded, told, ...asked }
      await holder.hold({ open, held, program, reader, live, changes: of, run: { ...run, maxBudgetUsd }, ...place })
    } catch (error) {
      program.release()
      programs.release(open)
      throw error
    }
    return null
  }
}

const newReadingOf =
  (
    output: HeadlessOutput,
    options: ReadOptions,
    { repairPrompt }: Pick<RunRow, 'repairPrompt'>,
  ): ReaderParts['newReading'] =>
  (isLater) =>
    output.read(isLater ? later(options, repairPrompt ?? CONTINUE) : options)

const readOptions = async (repository: RunRepository, run: RunRow): Promise<ReadOptions> => ({
  prompt: run.prompt,
  model: run.model,
  sessionId: run.cliSessionId ?? '',
  resume: run.resumed,
  forks: run.forks === true,
  folder: run.cwd,
  totalsBefore: await repository.totalsBefore(run),
})

const usedBy = (verdict: Verdict, { model }: RunRow, lastSeq: number) => {
  const usage = sharesOf(verdict, model)
  return { ...costOf(usage), usage, totals: verdict.totals ?? [], result: verdict.result, lastSeq }
}

const endFor = (outcome: Outcome, agent = ''): RunEnd => endOf(outcome, NOTHING_SAID, { provider: '', agent })
const LOST = endFor({ kind: 'lost' })
/** The end of a run with a gate whose program is gone with the server that would have validated it. */
const NOT_VALIDATED: RunEnd = {
  state: 'failed',
  reason: 'not_verified',
  error: 'The server was killed before the task could be validated.',
  exitCode: null,
}

/** The end of a run whose session the recovery has ended. */
const endOfGone = (reason: string, { agentName }: RunRow): RunEnd => {
  switch (reason) {
    case 'container_stopped':
      return endFor({ kind: 'exited', exit: { cause: 'container_stopped', exitCode: null } }, agentName)
    case 'access_revoked':
      return RIGHT_LOST
    default:
      return LOST
  }
}

/** A later process continues the session that the first one has begun, if that one has named it. */
const later = (options: ReadOptions, prompt: string): ReadOptions => ({
  ...options,
  ...(options.sessionId !== '' && { resume: options.sessionId, forks: false }),
  prompt,
})
