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
import type { Answer, Asked, Cut } from '../runs/gate/gates.ts'
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
  /** Resolves when the runs and the commands of earlier servers are decided about. */
  readonly recovered: Promise<unknown>
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
  readonly done: Promise<unknown>
}

/** How a validation ended that was not stopped. */
interface Ended extends Outcome {
  /** Why the validator gave up; null if it did not. */
  readonly error: unknown
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
  /** Validations of which the row is being written. */
  readonly #beginning = new Set<string>()
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

  /** Validates a run with a gate, which waits for the answer. Never rejects. */
  async judge(asked: Asked): Promise<Answer> {
    const { id } = asked.held
    try {
      await Promise.race([this.#deps.recovered, aborted(asked.signal)])
      if (asked.signal.aborted || this.#isStopping) return { kind: 'interrupted' }
      return await this.#judge(asked)
    } catch (error) {
      this.#deps.log.warn({ taskId: id, err: error }, 'a task could not be validated before its end')
      return judgedOf({ verdict: NOT_STARTED, evidence: NO_EVIDENCE })
    }
  }

  async #judge({ held, workedMs, signal }: Asked): Promise<Answer> {
    const { repository, newId } = this.#deps
    const attempt = { runId: held.id, attempt: newId() }
    const abort = new AbortController()
    // The next server begins again where this one was stopped.
    const isLeft = (): boolean => abort.signal.reason === 'let_go'
    const onCut = (): void => abort.abort((signal.reason as Cut) === 'let_go' ? 'let_go' : 'cancelled')
    signal.addEventListener('abort', onCut)
    const over = Promise.withResolvers<null>()
    this.#open.set(held.id, {
      abort: (because) => abort.abort(because === 'interrupted' ? 'let_go' : because),
      done: over.promise,
    })
    try {
      const begun = await repository.beginAtGate(attempt, held, workedMs, this.#now())
      const found = begun && (await this.#reinstated(begun.run))
      const ended = found
        ? await this.#run(attempt, { ...begun, found }, abort.signal)
        : { verdict: NOT_STARTED, evidence: NO_EVIDENCE, error: null }
      if (isLeft()) return { kind: 'interrupted' }
      if (ended.error instanceof AppError && ended.error.code === 'ENGINE_UNAVAILABLE')
        return { kind: 'engine_unavailable' }
      await this.#store(attempt, ended)
      return judgedOf(ended)
    } finally {
      signal.removeEventListener('abort', onCut)
      this.#open.delete(held.id)
      over.resolve(null)
    }
  }

  /** Begins the validations that were asked for with tasks that have ended by now. */
  async look(): Promise<void> {
    const now = this.#now()
    await this.#deps.repository.interruptLost(now, [...this.#open.keys(), ...this.#beginning])
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
    const { id } = job.run
    this.#beginning.add(id)
    try {
      if (!(await repository.begin(attempt, from, this.#now()))) return false
      const abort = new AbortController()
      const done = this.#conduct(attempt, job, abort.signal).finally(() => this.#open.delete(id))
      this.#open.set(id, { abort: (because) => abort.abort(because), done })
      if (this.#isStopping) abort.abort('interrupted' satisfies Ending)
      return true
    } finally {
      this.#beginning.delete(id)
    }
  }

  /** Never rejects. */
  async #conduct(attempt: Attempt, job: Job, signal: AbortSignal): Promise<void> {
    await this.#store(attempt, await this.#run(attempt, job, signal))
  }

  /** Validates when it is its turn. Never rejects. */
  async #run(attempt: Attempt, job: Job, signal: AbortSignal): Promise<Ended> {
    const { repository, log } = this.#deps
    let evidence: ValidationEvidence = NO_EVIDENCE
    const progress = async (now: ValidationEvidence): Promise<void> => {
      evidence = now
      await repository.progress(attempt, now)
    }
    try {
      let hasTurn = false
      const turn = this.#inTurn(job.found.row.id, () => {
        hasTurn = true
        return this.#validate(attempt, job, signal, progress)
      })
      // It does not wait for its turn to be ended.
      const isEnded = aborted(signal).then(() =>
        hasTurn ? turn : Promise.reject(new Error('it was not its turn yet')),
      )
      const outcome = await Promise.race([turn, isEnded])
      return { ...outcome, error: null }
    } catch (error) {
      const reason = signal.aborted ? endingOf(signal) : 'not_started'
      if (!signal.aborted) log.warn({ taskId: attempt.runId, err: error }, 'a validation failed')
      return { verdict: { state: 'not_verified', reason }, evidence, error: signal.aborted ? null : error }
    }
  }

  async #store(attempt: Attempt, { verdict, evidence }: Ended): Promise<void> {
    const { repository, log } = this.#deps
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

const NOT_STARTED: Verdict = { state: 'not_verified', reason: 'not_started' }

/** A verdict as a gate needs it. */
const judgedOf = ({ verdict, evidence }: Outcome): Answer => ({
  ...{ kind: 'judged', ...verdict, evidence },
  message: verdict.reason && REASONS[verdict.reason],
})

const endingOf = (signal: AbortSignal): Ending => (signal.reason === 'cancelled' ? 'cancelled' : 'interrupted')

/** Resolves when the signal is aborted. */
const aborted = (signal: AbortSignal): Promise<null> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(null)
    else signal.addEventListener('abort', () => resolve(null), { once: true })
  })

const runsAlready = (): AppError => new AppError('WRONG_STATE', 'A validation of this task runs already.')
