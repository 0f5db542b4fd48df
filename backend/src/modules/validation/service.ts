/** Starts, shows and ends validations of tasks. */
import type { ValidateOptions, Validation, ValidationEvidence, ValidationState } from '@slipway/protocol'
import type { Clock } from '../../lib/clock.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { NewId } from '../../lib/ids.ts'
import type { Log } from '../../lib/log.ts'
import { QueueFullError, Semaphore } from '../../lib/semaphore.ts'
import { agentEvent } from '../agents/recorded.ts'
import type { Found } from '../agents/service.ts'
import type { Audit } from '../audit/audit.ts'
import { actorOf, type Caller } from '../identity/caller.ts'
import type { RunRow } from '../runs/repository.ts'
import type { RunService } from '../runs/service.ts'
import { personalRun } from '../runs/view.ts'
import { isKeptFrom } from '../sessions/claim.ts'
import type { reinstater } from '../sessions/recovery/reinstate.ts'
import { NO_EVIDENCE } from './plan.ts'
import type { Attempt, ValidationRepository } from './repository.ts'
import type { Outcome, Validator } from './validator.ts'
import { REASONS, type Verdict } from './verdict.ts'

/** Validations that wait for the one before in the same agent. */
const WAITING_MAX = 8

export interface ValidationDeps {
  readonly runs: Pick<RunService, 'require'>
  readonly repository: ValidationRepository
  readonly validator: Pick<Validator, 'validate'>
  readonly reinstate: ReturnType<typeof reinstater>
  readonly audit: Pick<Audit, 'recordNow'>
  readonly newId: NewId
  readonly clock: Clock
  readonly log: Log
}

/** Why a validation is ended from outside. */
type Ending = 'cancelled' | 'interrupted'

/** A validation of this server that runs, or waits for its turn. */
interface Open {
  readonly abort: (because: Ending) => void
  readonly done: Promise<void>
}

/** What to validate, and in whose name. */
interface Job {
  readonly run: RunRow
  readonly found: Found
  readonly options: ValidateOptions
}

export class ValidationService {
  readonly #deps: ValidationDeps
  /** By run. At most {@link WAITING_MAX} and one for each agent. */
  readonly #open = new Map<string, Open>()
  /** One validation at a time in each agent in which something was validated. */
  readonly #turns = new Map<string, Semaphore>()
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
   * runs, and what {@link RunService.require} throws.
   */
  async start(caller: Caller, id: string, options: ValidateOptions): Promise<Validation> {
    const { runs, audit } = this.#deps
    const { run, found } = await runs.require(caller, id, 'task.validate')
    if (!found) throw new AppError('WRONG_STATE', 'The agent of this task was deleted.')
    if (run.endedAt === null)
      throw new AppError('WRONG_STATE', 'The task has not ended yet. Its validation starts after its end.')
    if (run.validation === 'running' || run.validation === 'waiting') throw runsAlready()
    await audit.recordNow({
      actor: actorOf(caller),
      action: 'task.validated',
      ...agentEvent(found.row, { taskId: id, command: options.command === undefined ? 'found' : 'given' }),
    })
    if (!(await this.#begin({ run, found, options }, run.validation))) throw runsAlready()
    return this.#require(caller, run)
  }

  /** Ends a validation. Throws `WRONG_STATE` if none runs, and what {@link RunService.require} throws. */
  async cancel(caller: Caller, id: string): Promise<Validation> {
    const { run } = await this.#deps.runs.require(caller, id, 'task.validate')
    const open = this.#open.get(id)
    if (!open) throw new AppError('WRONG_STATE', 'No validation of this task runs.')
    open.abort('cancelled')
    await open.done
    return this.#require(caller, run)
  }

  /** Begins the validations that were asked for with tasks that have ended by now. */
  async look(): Promise<void> {
    for (const { run, options } of await this.#deps.repository.due()) {
      if (this.#isStopping) return
      const found = run.state === 'completed' ? await this.#reinstated(run) : null
      if (found) await this.#begin({ run, found, options }, 'waiting')
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

  async #reinstated({ userId, agentId, via, viaId }: RunRow): Promise<Found | null> {
    if (agentId === null || via === null || viaId === null) return null
    return this.#deps.reinstate({ userId, agentId, via: { kind: via, id: viaId } }, 'task.validate')
  }

  /** Stores a validation in which nothing was run. */
  async #settle({ id: runId }: RunRow, reason: NonNullable<Verdict['reason']>): Promise<void> {
    const { repository, newId } = this.#deps
    const attempt = { runId, attempt: newId() }
    if (await repository.begin(attempt, 'waiting', this.#now()))
      await repository.end(attempt, { state: 'not_verified', reason }, NO_EVIDENCE, this.#now())
  }

  /** False if another attempt has begun. It goes on without its caller. */
  async #begin(job: Job, from: ValidationState | null): Promise<boolean> {
    const { repository, newId } = this.#deps
    const attempt = { runId: job.run.id, attempt: newId() }
    if (!(await repository.begin(attempt, from, this.#now()))) return false
    const abort = new AbortController()
    const done = this.#conduct(attempt, job, abort.signal).finally(() => this.#open.delete(job.run.id))
    this.#open.set(job.run.id, { abort: (because) => abort.abort(because), done })
    if (this.#isStopping) abort.abort('interrupted' satisfies Ending)
    return true
  }

  /** Never rejects. */
  async #conduct(attempt: Attempt, job: Job, signal: AbortSignal): Promise<void> {
    const { repository, log } = this.#deps
    let evidence: ValidationEvidence = NO_EVIDENCE
    const progress = async (now: ValidationEvidence): Promise<void> => {
      evidence = now
      await repository.progress(attempt, now)
    }
    let verdict: Verdict
    try {
      const outcome = await this.#inTurn(job.found.row.id, () => this.#validate(attempt, job, signal, progress))
      ;({ verdict, evidence } = outcome)
    } catch (error) {
      const reason = signal.aborted ? (signal.reason as Ending) : 'not_started'
      verdict = { state: 'not_verified', reason }
      if (!signal.aborted) log.warn({ taskId: attempt.runId, err: error }, 'a validation failed')
    }
    await repository.end(attempt, verdict, evidence, this.#now()).catch((error: unknown) => {
      // The next start of a server ends it.
      log.error({ taskId: attempt.runId, err: error }, 'the end of a validation could not be stored')
    })
  }

  #validate(
    attempt: Attempt,
    { run, found, options }: Job,
    signal: AbortSignal,
    progress: (evidence: ValidationEvidence) => Promise<void>,
  ): Promise<Outcome> {
    signal.throwIfAborted()
    let personal: Promise<void> = Promise.resolve()
    return this.#deps.validator.validate({
      ...{ run, found, options, signal },
      personal: () => {
        personal = this.#deps.repository.becomePersonal(attempt)
        // It fails the next step.
        personal.catch(() => undefined)
      },
      progress: (evidence) => personal.then(() => progress(evidence)),
    })
  }

  async #inTurn<T>(agentId: string, work: () => Promise<T>): Promise<T> {
    const turns = this.#turns.get(agentId) ?? new Semaphore(1, WAITING_MAX)
    this.#turns.set(agentId, turns)
    return turns.run(work).catch((error: unknown) => {
      if (!(error instanceof QueueFullError)) throw error
      throw new AppError('TOO_MANY_REQUESTS', 'Too many validations wait in this agent.', { cause: error })
    })
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
    return {
      ...{ sessionId: id, state, reason, message: reason && REASONS[reason] },
      ...evidence,
      startedAt: startedAt?.toISOString() ?? null,
      endedAt: endedAt?.toISOString() ?? null,
    }
  }

  #now(): Date {
    return new Date(this.#deps.clock.now())
  }
}

const runsAlready = (): AppError => new AppError('WRONG_STATE', 'A validation of this task runs already.')
