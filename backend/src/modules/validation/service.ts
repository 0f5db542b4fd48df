/** Starts, shows and ends validations of tasks. */
import type { ValidateOptions, Validation, ValidationState } from '@slipway/protocol'
import type { Clock } from '../../lib/time/clock.ts'
import { aborted } from '../../lib/aborted.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { Audit } from '../audit/audit.ts'
import { actorOf, type Caller, proofOf } from '../identity/caller.ts'
import type { Answer, Asked, Cut } from '../runs/gate/gates.ts'
import type { RunRow } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'
import type { EndedTranscripts } from '../runs/transcript/ended.ts'
import { personalRun } from '../runs/view.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { reinstater } from '../sessions/recovery/reinstate.ts'
import { inNameOf, standingOf } from './in-name.ts'
import type { ValidationMetrics } from './metrics.ts'
import { NO_EVIDENCE } from './plan/plan.ts'
import { runsAlready, tooMany } from './refusals.ts'
import type { Attempt, ValidationRepository } from './repository.ts'
import { ENDED_PER_AGENT_MAX, type Ended, type Ending, type Job, type ValidationRunner } from './runner.ts'
import { judgedOf, toldOf } from './told.ts'
import { REASONS, type Verdict } from './verdict.ts'

export interface ValidationDeps {
  readonly runs: Pick<RunService, 'require'>
  readonly repository: ValidationRepository
  readonly runner: Pick<ValidationRunner, 'run' | 'live'>
  /** Adds to the events of runs that have ended. */
  readonly transcripts: Pick<EndedTranscripts, 'add'>
  readonly reinstate: ReturnType<typeof reinstater>
  /** Resolves when the runs and the commands of earlier servers are decided about. */
  readonly recovered: Promise<unknown>
  /** Called when there is room in an agent that had none, so that {@link ValidationService.look} is due. */
  readonly freed: () => void
  readonly audit: Pick<Audit, 'recordNow'>
  readonly newId: NewId
  readonly clock: Clock
  readonly metrics: Pick<ValidationMetrics, 'ended'>
  readonly log: Log
}

/** A validation of this server that runs, or waits for its turn. */
interface Open {
  readonly runId: string
  /** The agent in which it counts as one of a task that has ended; null with a gate. */
  readonly agentId: string | null
  readonly abort: (because: Ending) => void
  readonly done: Promise<unknown>
  /** Whether its end is stored. Then only the events of its run are still written, which cannot be cancelled. */
  isStored: boolean
}

export class ValidationService {
  readonly #deps: ValidationDeps
  /**
   * By attempt: one may still be written to the events of its run when the next one of this run begins. At most
   * {@link ENDED_PER_AGENT_MAX} for each agent, and one for each active task with a gate.
   */
  readonly #open = new Map<string, Open>()
  /** The agents of runs for which the row of a validation is being written, by the run. */
  readonly #beginning = new Map<string, string>()
  #isStopping = false

  constructor(deps: ValidationDeps) {
    this.#deps = deps
  }

  /** The last one of a run, or null. Throws what {@link RunService.require} throws, and `PERSONAL_CREDENTIAL`. */
  async get(caller: Caller, id: string): Promise<Validation | null> {
    const { run } = await this.#deps.runs.require(caller, id, 'task.view')
    return this.#present(caller, run)
  }

  /**
   * Starts a validation of a run that has ended. Throws `WRONG_STATE` while the run is active or another validation of it
   * runs, `TOO_MANY_REQUESTS` while the agent has {@link ENDED_PER_AGENT_MAX}, and what {@link RunService.require} throws.
   */
  async start(caller: Caller, id: string, options: ValidateOptions): Promise<Validation> {
    const { runs, reinstate, audit } = this.#deps
    const { run, found } = await runs.require(caller, id, 'task.validate')
    if (!found) throw new AppError('WRONG_STATE', 'The agent of this task was deleted.')
    if (run.endedAt === null)
      throw new AppError('WRONG_STATE', 'The task has not ended yet. Its validation starts after its end.')
    if (run.validation === 'running' || run.validation === 'waiting') throw runsAlready()
    if (this.#full().includes(found.row.id)) throw tooMany()
    await audit.recordNow({
      actor: actorOf(caller),
      action: 'task.validated',
      ...agentEvent(found.row, { taskId: id, command: options.command === undefined ? 'found' : 'given' }),
    })
    const standing = { userId: caller.userId, agentId: found.row.id, via: proofOf(caller.via) }
    const job = { run, options, ...inNameOf(reinstate, standing, caller.source) }
    if (!(await this.#begin(job, run.validation))) throw runsAlready()
    return this.#require(caller, run)
  }

  /** Ends a validation. Throws `WRONG_STATE` if none runs, and what {@link RunService.require} throws. */
  async cancel(caller: Caller, id: string): Promise<Validation> {
    const { run, found } = await this.#deps.runs.require(caller, id, 'task.validate')
    const open = [...this.#open.values()].findLast(({ runId, isStored }) => runId === id && !isStored)
    if (!open) throw new AppError('WRONG_STATE', 'No validation of this task runs.')
    const agent = found?.row ?? { id: run.agentId ?? '', name: run.agentName, ownerEmail: null }
    await this.#deps.audit.recordNow({
      actor: actorOf(caller),
      action: 'task.validation_cancelled',
      ...agentEvent(agent, { taskId: id }),
    })
    open.abort('cancelled')
    await open.done
    return this.#require(caller, run)
  }

  /** Validates a run with a gate, which waits for the answer. Never rejects. */
  async judge(asked: Asked): Promise<Answer> {
    const { id } = asked.held
    try {
      await Promise.race([this.#deps.recovered, aborted(asked.signal)])
      if (asked.signal.aborted || this.#isStopping) return { kind: 'interrupted' }
      return await this.#judge(asked)
    } catch (error) {
      this.#deps.log.warn({ taskId: id, err: error }, 'a task could not be validated before its end')
      return judgedOf({ verdict: NOT_STARTED, evidence: NO_EVIDENCE, isPersonal: false })
    }
  }

  async #judge({ held, workedMs, signal }: Asked): Promise<Answer> {
    const { repository, runner, reinstate, newId } = this.#deps
    const attempt = { runId: held.id, attempt: newId() }
    const abort = new AbortController()
    // The next server begins again where this one was stopped.
    const isLeft = (): boolean => abort.signal.reason === 'let_go'
    const onCut = (): void => abort.abort((signal.reason as Cut) === 'let_go' ? 'let_go' : 'cancelled')
    signal.addEventListener('abort', onCut)
    const over = Promise.withResolvers<null>()
    this.#open.set(attempt.attempt, {
      ...{ runId: held.id, agentId: null },
      abort: (because) => abort.abort(because === 'interrupted' ? 'let_go' : because),
      done: over.promise,
      isStored: false,
    })
    try {
      const begun = await repository.beginAtGate(attempt, held, workedMs, this.#now())
      const standing = begun && standingOf(begun.run)
      const ended = standing
        ? await runner.run(attempt, { ...begun, ...inNameOf(reinstate, standing) }, abort.signal)
        : { verdict: NOT_STARTED, evidence: NO_EVIDENCE, isPersonal: false, error: null }
      if (isLeft()) return { kind: 'interrupted' }
      if (ended.error instanceof AppError && ended.error.code === 'ENGINE_UNAVAILABLE')
        return { kind: 'engine_unavailable' }
      await this.#store(attempt, ended)
      return judgedOf(ended)
    } finally {
      signal.removeEventListener('abort', onCut)
      this.#open.delete(attempt.attempt)
      over.resolve(null)
    }
  }

  /** Begins the validations that were asked for with tasks that have ended by now. */
  async look(): Promise<void> {
    const now = this.#now()
    const open = [...this.#open.values()].map(({ runId }) => runId)
    const { repository, reinstate } = this.#deps
    await repository.interruptLost(now, [...open, ...this.#beginning.keys()])
    for (const { run, options } of await repository.due(this.#full())) {
      if (this.#isStopping) return
      const standing = run.state === 'completed' ? standingOf(run) : null
      const found = standing && (await reinstate(standing, 'task.validate'))
      // It stays in the database until the agent has room.
      if (found && this.#full().includes(found.row.id)) continue
      if (found) await this.#begin({ run, options, ...inNameOf(reinstate, standing) }, 'waiting')
      else await this.#settle(run, run.state === 'completed' ? 'not_started' : 'task_not_completed')
    }
  }

  /** Ends what an earlier server left. Call it before {@link look}. */
  async interrupt(): Promise<void> {
    const count = await this.#deps.repository.interrupt(this.#now())
    if (count > 0) this.#deps.log.info({ count }, 'validations of an earlier server were ended')
  }

  /** Ends all that run, and begins no more. Resolves when their ends are stored. */
  async stop(): Promise<void> {
    this.#isStopping = true
    for (const { abort } of this.#open.values()) abort('interrupted')
    await Promise.all([...this.#open.values()].map(({ done }) => done))
  }

  /** Stores a validation in which nothing was run. */
  async #settle({ id: runId }: RunRow, reason: NonNullable<Verdict['reason']>): Promise<void> {
    const { repository, newId } = this.#deps
    const attempt = { runId, attempt: newId() }
    if (await repository.begin(attempt, 'waiting', this.#now()))
      await this.#store(attempt, { verdict: { state: 'not_verified', reason }, evidence: NO_EVIDENCE })
  }

  /** The agents in which no more validations of tasks that have ended may begin. */
  #full(): string[] {
    const counts = new Map<string, number>()
    const open = [...this.#open.values()].flatMap(({ agentId, isStored }) => (isStored ? [] : (agentId ?? [])))
    for (const agentId of [...open, ...this.#beginning.values()]) counts.set(agentId, (counts.get(agentId) ?? 0) + 1)
    return [...counts].filter(([, count]) => count >= ENDED_PER_AGENT_MAX).map(([agentId]) => agentId)
  }

  /** False if another attempt has begun. It goes on without its caller. Throws `TOO_MANY_REQUESTS` if the agent is full. */
  async #begin(job: Job, from: ValidationState | null): Promise<boolean> {
    const { repository, newId } = this.#deps
    const attempt = { runId: job.run.id, attempt: newId() }
    const { agentId } = job
    const { id } = job.run
    if (this.#full().includes(agentId)) throw tooMany()
    this.#beginning.set(id, agentId)
    try {
      if (!(await repository.begin(attempt, from, this.#now()))) return false
      const abort = new AbortController()
      const done = this.#conduct(attempt, job, abort.signal).finally(() => this.#open.delete(attempt.attempt))
      this.#open.set(attempt.attempt, {
        ...{ runId: id, agentId },
        abort: (because) => abort.abort(because),
        done,
        isStored: false,
      })
      if (this.#isStopping) abort.abort('interrupted' satisfies Ending)
      return true
    } finally {
      this.#beginning.delete(id)
    }
  }

  /** Never rejects. */
  async #conduct(attempt: Attempt, job: Job, signal: AbortSignal): Promise<void> {
    const { runner, transcripts, freed, log } = this.#deps
    const ended = await runner.run(attempt, job, signal)
    await this.#store(attempt, ended)
    const open = this.#open.get(attempt.attempt)
    const wasFull = this.#full().includes(job.agentId)
    if (open) open.isStored = true
    if (wasFull) freed()
    const { run } = job
    // Only these have events.
    if (run.mode !== 'auto') return
    await transcripts.add(run, toldOf(run, ended), signal).catch((error: unknown) => {
      log.warn({ taskId: run.id, err: error }, 'a validation is missing in the events of its task')
    })
  }

  async #store(attempt: Attempt, { verdict, evidence }: Pick<Ended, 'verdict' | 'evidence'>): Promise<void> {
    const { repository, metrics, log } = this.#deps
    try {
      await repository.end(attempt, verdict, evidence, this.#now())
      metrics.ended(verdict.state)
    } catch (error) {
      // A later look ends it.
      log.error({ taskId: attempt.runId, err: error }, 'the end of a validation could not be stored')
    }
  }

  async #require(caller: Caller, run: RunRow): Promise<Validation> {
    const validation = await this.#present(caller, run)
    if (!validation) throw notFound()
    return validation
  }

  async #present(caller: Caller, { id, validation }: RunRow): Promise<Validation | null> {
    const stored = await this.#deps.repository.find(id)
    // The row of the run may be older than the other one.
    const state = stored?.state ?? validation
    if (state === null) return null
    if (stored && isKeptFrom(caller, stored)) throw personalRun()
    const { evidence = NO_EVIDENCE, reason = null, startedAt, endedAt } = stored ?? {}
    const running = state === 'running' ? this.#deps.runner.live(id) : null
    return {
      ...{ sessionId: id, state, reason, message: reason && REASONS[reason] },
      ...{ ...evidence, running },
      startedAt: startedAt?.toISOString() ?? null,
      endedAt: endedAt?.toISOString() ?? null,
    }
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}

const NOT_STARTED: Verdict = { state: 'not_verified', reason: 'not_started' }
