/** Runs validations, one at a time in each agent, and knows what runs now. */
import {
  type RunningCheck,
  TASKS_PER_AGENT_MAX,
  type ValidateOptions,
  type ValidationEvidence,
} from '@slipway/protocol'
import type { Log } from '../../lib/log.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import type { Found } from '../agents/service.ts'
import type { RunRow } from '../runs/repository.ts'
import { NO_EVIDENCE } from './plan/plan.ts'
import type { Attempt, ValidationRepository } from './repository.ts'
import type { LiveCheck, Outcome, Validator } from './validator.ts'

/** Validations of tasks that have ended, in one agent: one that runs, and 8 that wait. {@link ValidationService} keeps to it. */
export const ENDED_PER_AGENT_MAX = 9
/** Validations in one agent that may wait. It cannot be met: of active tasks each has one at most. */
const WAITING_MAX = TASKS_PER_AGENT_MAX + ENDED_PER_AGENT_MAX

/** Why a validation is ended from outside. */
export type Ending = 'cancelled' | 'interrupted'

/** What to validate, and in whose name. */
export interface Job {
  readonly run: RunRow
  readonly agentId: string
  /** In whose name it runs, with the rights that they have now. Throws if these do not suffice any more. */
  readonly found: () => Promise<Found>
  readonly options: ValidateOptions
}

/** How a validation ended. */
export interface Ended extends Outcome {
  /** Whether a command held a credential of its user's own. */
  readonly isPersonal: boolean
  /** Why the validator gave up; null if it did not. */
  readonly error: unknown
}

interface Deps {
  readonly validator: Pick<Validator, 'validate'>
  readonly repository: Pick<ValidationRepository, 'progress' | 'becomePersonal'>
  readonly log: Pick<Log, 'warn'>
}

export class ValidationRunner {
  readonly #deps: Deps
  /** One validation at a time in each agent in which something was validated. */
  readonly #turns = new Map<string, Semaphore>()
  /** The commands that run, by the id of the validated run. At most one for each agent. */
  readonly #live = new Map<string, LiveCheck>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The command that runs in the validation of a run; null if none does in this server. */
  live(runId: string): RunningCheck | null {
    const live = this.#live.get(runId)
    return live ? { ...live, output: live.output() } : null
  }

  /** Validates when it is its turn. Never rejects. An abort of the signal has an {@link Ending} as its reason. */
  async run(attempt: Attempt, job: Job, signal: AbortSignal): Promise<Ended> {
    let evidence: ValidationEvidence = NO_EVIDENCE
    let isPersonal = false
    const progress = async (now: ValidationEvidence): Promise<void> => {
      this.#live.delete(attempt.runId)
      evidence = now
      await this.#deps.repository.progress(attempt, now)
    }
    const personal = (): void => void (isPersonal = true)
    try {
      const validate = (): Promise<Outcome> => this.#validate(attempt, job, { signal, progress, personal })
      // It does not wait for its turn to be ended.
      const outcome = await this.#turnsOf(job.agentId).run(validate, signal)
      return { ...outcome, isPersonal, error: null }
    } catch (error) {
      const reason = signal.aborted ? endingOf(signal) : 'not_started'
      if (!signal.aborted) this.#deps.log.warn({ taskId: attempt.runId, err: error }, 'a validation failed')
      const verdict = { state: 'not_verified', reason } as const
      return { verdict, evidence, isPersonal, error: signal.aborted ? null : error }
    } finally {
      this.#live.delete(attempt.runId)
    }
  }

  #validate(
    attempt: Attempt,
    { run, found, options }: Job,
    {
      signal,
      progress,
      personal,
    }: { signal: AbortSignal; progress: (evidence: ValidationEvidence) => Promise<void>; personal: () => void },
  ): Promise<Outcome> {
    signal.throwIfAborted()
    let stored: Promise<void> = Promise.resolve()
    return this.#deps.validator.validate({
      ...{ run, found, options, signal },
      personal: () => {
        personal()
        stored = this.#deps.repository.becomePersonal(attempt)
        // It fails the next step.
        stored.catch(() => undefined)
      },
      live: (running) => void this.#live.set(run.id, running),
      progress: (evidence) => stored.then(() => progress(evidence)),
    })
  }

  #turnsOf(agentId: string): Semaphore {
    const turns = this.#turns.get(agentId) ?? new Semaphore(1, WAITING_MAX)
    this.#turns.set(agentId, turns)
    return turns
  }
}

const endingOf = (signal: AbortSignal): Ending => (signal.reason === 'cancelled' ? 'cancelled' : 'interrupted')
