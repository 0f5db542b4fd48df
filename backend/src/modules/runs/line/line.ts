/**
 * The runs that wait: in line for room, or for the end of a usage limit. A step of the job queue starts each, and asks
 * again whether its user still may.
 */
import type { Jobs } from '../../../database/jobs.ts'
import { isDatabaseGone } from '../../../database/errors.ts'
import { type Clock, MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Loss } from '../../access/loss.ts'
import { agentEvent } from '../../agents/recorded.ts'
import type { Found } from '../../agents/service.ts'
import type { Audit } from '../../audit/audit.ts'
import { type Actor, PLATFORM } from '../../audit/actor.ts'
import { endingOfLoss } from '../../sessions/ending.ts'
import type { Counted, Programs } from '../../sessions/programs.ts'
import type { Standing } from '../../sessions/recovery/reinstate.ts'
import { NOTHING_SAID } from '../../providers/headless/parts/verdict.ts'
import { AGENT_GONE, endOf, RIGHT_LOST, type RunEnd } from '../end.ts'
import type { RunPlanner } from '../start/plan.ts'
import { HELD, type RunRepository, type RunRow } from '../repository.ts'
import type { RunStarter } from '../start/starter.ts'
import { startsOf } from '../transcript/segment.ts'
import type { LineRepository, WaitingRun } from './repository.ts'

/** The kind of step that starts a run. */
const START = 'task-start'
/** Time between two looks at the line that nothing caused, in milliseconds. */
const LOOK_EVERY_MS = 10 * SECOND_MS
/** Why a run stays in line. All other failures end it. */
const STAYS: ReadonlySet<string> = new Set([
  'TOO_MANY_TASKS',
  'SESSION_IN_USE',
  'ENGINE_UNAVAILABLE',
  'SERVER_STOPPING',
  'WRONG_STATE',
  'DISK_FULL',
  'WORKTREE_IN_USE',
])
/** Most times that a process of a run begins to start. With the pauses between them it is tried for two hours. */
const STARTS_MAX = 20
/** The longest pause after a start that failed, in milliseconds. The first is two seconds, and each is twice the one before. */
const PAUSE_MAX_MS = 10 * MINUTE_MS

export interface LineDeps {
  readonly jobs: Pick<Jobs, 'handle' | 'plan'>
  readonly repository: Pick<RunRepository, 'byId' | 'endLeft'>
  readonly line: LineRepository
  readonly programs: Pick<Programs, 'refusal' | 'arrive' | 'sessions'>
  readonly planner: Pick<RunPlanner, 'again'>
  readonly starter: Pick<RunStarter, 'startWaiting'>
  /** Whether this backend still holds a process of the run. */
  readonly isHeld: (id: string) => boolean
  /** The agents whose containers are known to run. */
  readonly running: () => string[]
  /** The user's current rights, or null. */
  readonly mayStill: (run: Standing) => Promise<Found | null>
  /** Called when a run has left the line: its program runs. */
  readonly started: (run: RunRow) => void
  /** Called after the end of a run was stored that never left the line. */
  readonly ended: (run: WaitingRun, end: RunEnd) => void
  /** The folder of the transcripts. */
  readonly folder: string
  readonly audit: Pick<Audit, 'recordNow'>
  readonly clock: Clock
  readonly log: Log
}

export class RunLine {
  readonly #deps: LineDeps
  /** The look in progress. */
  #looking: Promise<void> | null = null
  #isAskedAgain = false
  /** The runs whose conversation was in use when they were to start. */
  #inUse: Set<string> = new Set()
  /** The runs that a step is starting. */
  readonly #starting = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  constructor(deps: LineDeps) {
    this.#deps = deps
    deps.jobs.handle(START, (id) => this.#startOnce(id))
  }

  /** Looks at the line from now on. Call it when the runs of earlier backends are decided about. */
  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_EVERY_MS).unref()
    this.look()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
  }

  /** There may be room, or a new run in line. */
  look(): void {
    if (this.#timer === null) return
    if (this.#looking) this.#isAskedAgain = true
    else
      this.#looking = this.#look().finally(() => {
        this.#looking = null
        if (this.#isAskedAgain) {
          this.#isAskedAgain = false
          this.look()
        }
      })
  }

  /** A run waits for the end of a usage limit. If this is lost, the next look finds the run. */
  async waits(id: string, until: Date): Promise<void> {
    await this.#deps.jobs.plan(START, [id], until.getTime())
  }

  /** Ends the waiting runs whose right is lost. */
  async lost(loss: Loss): Promise<void> {
    const { line } = this.#deps
    // A stopped agent starts again, and what waits has no credential yet.
    if (loss.kind === 'shared' || (loss.kind === 'stopped' && loss.because !== 'agent_deleted')) return
    let last: string | null = null
    for (;;) {
      const runs: WaitingRun[] = await line.waitingBehind(last)
      for (const run of runs) {
        const found = await this.#foundFor(run)
        const holding = found && { caller: found.caller, row: found.row, relation: found.relation, personal: false }
        const ends = loss.kind === 'deleted' || loss.kind === 'stopped'
        if (!found) await this.end(run, lostOf(run))
        else if (ends && holding && loss.from(holding))
          await this.end(run, endOf({ kind: 'ended', ending: endingOfLoss(loss) }, NOTHING_SAID, NO_NAMES), found)
      }
      last = runs.at(-1)?.id ?? null
      if (last === null) return
    }
  }

  /** Ends a run that waits. Answers whether it did. */
  async end(run: WaitingRun, end: RunEnd, found: Found | null = null, actor: Actor = PLATFORM): Promise<boolean> {
    const { repository, audit, ended } = this.#deps
    if (!(await repository.endLeft(run.id, end))) return false
    ended(run, end)
    const agent = found?.row ?? { id: run.agentId ?? '', name: run.agentName, ownerEmail: null }
    // As when it was queued: it may never have had a session.
    const facts = { sessionId: run.id, taskId: run.id, reason: end.reason, exitCode: null, seconds: 0 }
    await audit.recordNow({ actor, action: 'task.ended', ...agentEvent(agent, facts) })
    return true
  }

  async #look(): Promise<void> {
    const { line, programs, running, clock, jobs, log } = this.#deps
    try {
      // Of those who wait for the same room, the first get it.
      let others: Counted[] | null = null
      const inUse = this.#inUse
      this.#inUse = new Set()
      const ids: string[] = []
      for await (const { id, userId, agentId } of line.due(new Date(clock.now()), running())) {
        others ??= await line.heldBesides(programs)
        // Without its agent it is ended.
        if (agentId !== null) {
          if (programs.refusal(userId, agentId, others)) continue
          // One whose conversation is in use is tried again, and keeps no other one from starting meanwhile.
          if (inUse.has(id)) this.#inUse.add(id)
          else others.push({ caller: { userId }, row: { id: agentId } })
        }
        ids.push(id)
      }
      // One statement, however long the line is: each start and each end has it looked at.
      await jobs.plan(START, ids)
    } catch (error) {
      // The next look repeats it.
      log.warn({ err: error }, 'the line of tasks could not be looked at')
    }
  }

  /** The user's current rights; null if they may not start the run any more. */
  async #foundFor({ userId, agentId, via, viaId }: WaitingRun): Promise<Found | null> {
    if (agentId === null || via === null || viaId === null) return null
    return this.#deps.mayStill({ userId, agentId, via: { kind: via, id: viaId } })
  }

  /** A run may have two steps: one planned for the end of its limit, and one that a look planned. */
  async #startOnce(id: string): Promise<void> {
    if (this.#starting.has(id)) return
    this.#starting.add(id)
    await this.#startOne(id).finally(() => this.#starting.delete(id))
  }

  async #startOne(id: string): Promise<void> {
    const { repository, programs, planner, starter, running, started, clock } = this.#deps
    // Its last process is still being ended. The line is looked at again when that is done.
    if (this.#deps.isHeld(id)) return
    const arrival = programs.arrive()
    const run = await repository.byId(id)
    const waits = run?.state === 'queued' || run?.state === 'waiting'
    if (!run || !waits || Number(run.continuesAt) > clock.now()) return
    const found = await this.#foundFor(run)
    if (!found) return void (await this.end(run, lostOf(run)))
    if (!running().includes(found.row.id)) return
    try {
      const plan = await planner.again(found, run)
      this.#inUse.delete(id)
      if (await starter.startWaiting(plan, run, arrival)) started(run)
    } catch (error) {
      await this.#failed(run, found, error)
    }
  }

  /** It could not start. It stays in line if this may pass. */
  async #failed(run: RunRow, found: Found, error: unknown): Promise<void> {
    const { repository, line, folder, clock, log } = this.#deps
    const now = await repository.byId(run.id)
    if (!now || now.endedAt !== null) return
    if (error instanceof AppError && error.code === 'SESSION_IN_USE') this.#inUse.add(run.id)
    const isPassing = error instanceof AppError ? STAYS.has(error.code) : isDatabaseGone(error)
    if (isPassing && (now.state === 'queued' || now.state === 'waiting')) return
    const starts = await startsOf(folder, now)
    const notBefore = new Date(clock.now() + Math.min(SECOND_MS * 2 ** starts, PAUSE_MAX_MS))
    if (isPassing && (await line.putBack(now, { starts, startsMax: STARTS_MAX, from: HELD, notBefore }))) return
    log.warn({ sessionId: run.id, err: error }, 'a waiting run could not start')
    const sentence = error instanceof AppError ? error.message : 'The task could not be started.'
    const isExhausted = error instanceof AppError && error.code === 'BUDGET_EXHAUSTED'
    const reason = isExhausted ? 'budget_exhausted' : 'failed_to_start'
    await this.end(now, { state: 'failed', reason, error: sentence, exitCode: null }, found)
  }
}

const NO_NAMES = { provider: '', agent: '' }

const lostOf = ({ agentId }: WaitingRun): RunEnd => (agentId === null ? AGENT_GONE : RIGHT_LOST)
