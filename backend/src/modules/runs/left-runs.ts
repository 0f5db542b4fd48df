/** Takes up the runs that an earlier backend left, where their stored events end. */
import type { Clock } from '../../lib/time/clock.ts'
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
import { AGENT_GONE, endOf, endOfGone, LOST, NOT_VALIDATED, type RunEnd, terminatedBy } from './end.ts'
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
import type { AsRead, Held, RunRepository, RunRow } from './repository.ts'
import type { StoredRunEnd } from './stored-end.ts'
import { CONTINUE } from './start/plan.ts'
import { gateOf, resumption } from './gate/standing.ts'
import type { Entry } from './transcript/entry.ts'
import { lastSeqIn, readTranscript } from './transcript/file.ts'
import { startsOf } from './transcript/segment.ts'

/** Most times that a process of a run from the line begins to start, if a crash interrupts each start. */
const STARTS_MAX = 3

/** The end of a run that no backend holds, with what it has used as far as its transcript says it. */
export type LeftEnd = RunEnd & Partial<StoredRunEnd>

/** A run that no backend holds. */
export type LeftRun = Pick<RunRow, 'id' | 'agentId' | 'provider' | 'personal'>

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
  readonly clock: Clock
  /** The agent and the user's current relation to it; null if the user may no longer run tasks in it. */
  readonly mayStill: (session: LeftSession) => Promise<Found | null>
  /** Called after the end of a run was stored that no backend holds. */
  readonly ended: (run: LeftRun, end: LeftEnd) => void
  /** No process is left of a run: its conversation is free, for which a run in line may wait. */
  readonly freed: () => void
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
    // The next run of the conversation begins once the end is recorded, and reads what this one has used.
    const settle: LeftKind['settle'] = ({ id }, reason) => this.gone(id, reason)
    return leftRecoverer(this.#deps, { takeOver, storedEnd, settle, ended: () => this.#deps.freed() })
  }

  /**
   * Ends the runs from before a time of which no session is left: a backend was killed between two writes, or their agent
   * is gone.
   */
  async sweep(before: Date): Promise<void> {
    const { repository, line, holder } = this.#deps
    for (const run of await repository.orphans(before))
      // One from the line goes back there: its program had not started yet.
      if (!holder.conductorOf(run.id) && (run.agentId === null || !(await line.putBack(run, await this.#again(run))))) {
        const row = await repository.byId(run.id)
        const end = run.agentId === null ? AGENT_GONE : await this.#endOfOrphan(row)
        await this.#end(run, row ? { ...(await this.#said(row)).used, ...end } : end, row ?? undefined)
      }
  }

  /** A backend was killed after it had recorded the end of an interactive run's terminal, and before that of the run. */
  async #endOfOrphan(run: RunRow | null): Promise<RunEnd> {
    const ending = run?.mode === 'interactive' ? await this.#deps.terminalEnds.of(run.sessionId) : null
    if (!run || !ending) return LOST
    return endOfTerminal(ending, { provider: labelOfRun(run), agent: run.agentName }, 'Its user')
  }

  /** How a run goes back into the line whose start was interrupted. */
  async #again(run: Held): Promise<PutBack> {
    return { starts: await startsOf(this.#deps.folder, run), startsMax: STARTS_MAX, from: ['starting'] }
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
      if (isUnstarted && (await line.putBack(run, await this.#again(run)))) return
      if (run.endedAt === null) await this.#end(run, await this.#endOf(reason, run), run)
      // Not awaited: the recovery, and those who wait for it, need not wait for git.
      if (reason !== 'container_stopped') void this.#collect(run)
    } catch (error) {
      // The next round sweeps it.
      log.error({ sessionId, err: error }, 'the end of a run could not be stored')
    }
  }

  /**
   * Ends a run in the name of a user while no backend holds it: it is starting, or waits for its recovery. Answers false if
   * it waits in the line now, or has changed meanwhile: look at it again.
   */
  async terminate(id: string, by: string): Promise<boolean> {
    const { repository, holder, log } = this.#deps
    const run = await repository.byId(id)
    if (!run || run.endedAt !== null) return true
    if (run.state === 'queued' || run.state === 'waiting') return false
    // A transcript that cannot be read does not keep it from being ended.
    const said = await this.#said(run).catch((error: unknown) => {
      log.error({ sessionId: run.sessionId, err: error }, 'what a run has used could not be read')
      return null
    })
    // It may have been taken over while its transcript was read.
    return holder.conductorOf(id) !== null || this.#end(run, { ...said?.used, ...terminatedBy(by) }, run)
  }

  /** The changes of a run that has ended without a backend. Its processes are gone. Never rejects. */
  async #collect(run: RunRow): Promise<void> {
    await this.#collectLate(run).catch((error: unknown) =>
      this.#deps.log.error({ sessionId: run.sessionId, err: error }, 'the changes of a run could not be collected'),
    )
  }

  async #collectLate(run: RunRow): Promise<void> {
    const { board, agentRows, provisioner, changes } = this.#deps
    const row = run.agentId === null || run.startTree === null ? null : await agentRows.byId(run.agentId)
    const containerId = row && board.get(row.id).runningId
    if (!row || containerId === null) return
    const masking = new Masking(await provisioner.taskSecrets(run.userId, row))
    const late = new RunChanges(changes, { held: run, containerId, startTree: run.startTree, masking })
    await late.collectLate()
    await late.leave()
  }

  /** Answers whether it has ended the run, which it does only as it was read. */
  async #end(run: LeftRun, end: LeftEnd, asRead?: AsRead): Promise<boolean> {
    const hasEnded = await this.#deps.repository.endLeft(run.id, end, asRead)
    if (hasEnded) this.#deps.ended(run, end)
    return hasEnded
  }

  async #endOf(reason: string, run: RunRow): Promise<LeftEnd> {
    const { verdict, used } = await this.#said(run)
    const names = { provider: labelOfRun(run), agent: run.agentName }
    // It had said its last word. Only its exit was lost.
    const isDone = verdict.isOver && reason === 'server_killed'
    const done = isDone ? endOf({ kind: 'finished_without_exit' }, verdict, names) : endOfGone(reason, run.agentName)
    const end = done.state === 'completed' && run.gateRepairs !== null ? NOT_VALIDATED : done
    return { ...end, ...used }
  }

  /** What the stored lines say of the current process of a run that has not ended, and that no backend can reach. */
  async #said(run: RunRow): Promise<{ readonly verdict: Verdict; readonly used: ReturnType<typeof usedBy> }> {
    const { folder, repository } = this.#deps
    const output = followed(run)
    if (!output) return { verdict: NOTHING_SAID, used: usedBy(NOTHING_SAID, run, await lastSeqIn(folder, run.id)) }
    const options = await readOptions(repository, run)
    const newReading = newReadingOf(output, options, run)
    const entries = async function* (): AsyncGenerator<Entry> {
      for await (const { entry } of readTranscript(folder, run.id)) yield entry
    }
    const reader = await RunReader.after({ newReading, masking: new Masking() }, entries())
    const verdict = hasBegun(reader, run) ? reader.verdict : NOTHING_SAID
    return { verdict, used: usedBy(verdict, run, reader.seq) }
  }

  async #takeOver(left: LeftSession, containerId: string): ReturnType<LeftKind['takeOver']> {
    const { runtime, programs, records, mayStill, repository, lives, holder, folder, changes, clock, log } = this.#deps
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
    // The backend was killed before it stored anything of this process, so all of its output is still to be read.
    const begins = hasBegun(reader, run) ? null : reader.resume(resumption(run), clock.now())
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
    try {
      const of = new RunChanges(changes, { held, containerId, startTree: run.startTree, masking })
      const asked = { opening: null, isAsking: run.asksSince !== null }
      const gate = gateOf(run, isAgain)
      const place = { after: earlier.end(), begins, gate, ranMs, hasEnded, told, ...asked }
      await holder.hold({ open, held, program, reader, live, changes: of, run, ...place })
    } catch (error) {
      program.release()
      programs.release(open)
      throw error
    }
    return null
  }
}

/** Whether the transcript has the current process of a run. The row has the number of the last event before it. */
const hasBegun = ({ begunAt }: RunReader, { lastSeq }: RunRow): boolean => lastSeq === 0 || begunAt > lastSeq

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

/** A later process continues the session that the first one has begun, if that one has named it. */
const later = (options: ReadOptions, prompt: string): ReadOptions => ({
  ...options,
  ...(options.sessionId !== '' && { resume: options.sessionId, forks: false }),
  prompt,
})
