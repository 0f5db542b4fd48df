/** Questions of programs in agents, which come without a token: whose they are is known from the relay alone. */
import {
  ASK_GRACE_SECONDS,
  type AskedPeople,
  type AskPeople,
  type DialogQuestion,
  ASKS_KEPT_PER_AGENT,
  ASKS_OPEN_PER_AGENT,
  ASKS_PER_MINUTE,
  type RunHappening,
} from '@slipway/protocol'
import { aborted } from '../../lib/aborted.ts'
import { type Clock, SECOND_MS } from '../../lib/time/clock.ts'
import type { Signal } from '../../lib/emitter.ts'
import { AppError, notFound } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { within } from '../../lib/time/within.ts'
import type { Visitor } from './visitor.ts'
import type { DialogRow } from '../dialogs/repository.ts'
import type { DialogService } from '../dialogs/service.ts'
import type { ProgramQuestions } from '../runs/people/program-questions.ts'
import { answerOf, questionOf } from '../runs/people/told.ts'
import { Allowance } from './allowance.ts'
import type { Asker, Askers } from './askers.ts'
import { type Asked, Leases } from './leases.ts'
import type { AskRepository } from './repository.ts'

/** What is asked. Only the platform itself asks for a permission. */
export type NewAsk = Omit<AskPeople, 'question'> & { readonly question: DialogQuestion }

export interface AsksDeps {
  readonly repository: AskRepository
  readonly service: Pick<DialogService, 'open' | 'abandon'>
  readonly askers: Askers
  /** Adds to the events of a task, if this backend follows it. */
  readonly addToRun: (runId: string, happening: RunHappening) => void
  /** What stops the time limit of the tasks whose programs ask. */
  readonly questions: Pick<ProgramQuestions, 'opened' | 'closed'>
  readonly closed: Pick<Signal<DialogRow>, 'on'>
  /** Longest wait of one request, in milliseconds. */
  readonly waitMs: number
  readonly clock: Clock
  readonly log: Log
}

export class AskService {
  readonly #deps: AsksDeps
  readonly #allowance: Allowance
  readonly #leases = new Leases((asked) => void this.#abandon(asked))
  readonly #stopping = new AbortController()

  constructor(deps: AsksDeps) {
    this.#deps = deps
    this.#allowance = new Allowance(ASKS_PER_MINUTE, 'questions', deps.clock)
    deps.closed.on(({ agentId, askId, runId, state, closedBy }) => {
      if (agentId === null || askId === null) return
      this.#leases.close({ agentId, askId })
      if (runId === null || state === 'open') return
      deps.questions.closed(runId, askId)
      const answer = answerOf(askId, { state, closedBy })
      if (answer) deps.addToRun(runId, answer)
    })
  }

  /** Questions of an earlier backend wait for their programs to come back. */
  async start(): Promise<void> {
    for (const asked of await this.#deps.repository.open()) {
      this.#leases.open(asked, ASK_GRACE_SECONDS * SECOND_MS)
      if (asked.runId !== null) this.#deps.questions.opened(asked.runId, asked.askId)
    }
  }

  /** The agent was deleted. */
  forget(agentId: string): void {
    this.#allowance.forget(agentId)
  }

  /** No request waits any more. The questions stay open for the next backend. */
  stop(): void {
    this.#stopping.abort()
    this.#leases.stop()
  }

  /**
   * Asks, unless the agent has asked with this id before. Waits for the answer as long as one request may, or until the
   * program has left. Without a request that waits, the question stays open for `graceSeconds` more. Throws
   * `TOO_MANY_DIALOGS` and `TOO_MANY_REQUESTS`.
   */
  async ask(visitor: Visitor, ask: NewAsk, left: AbortSignal, graceSeconds = ASK_GRACE_SECONDS): Promise<AskedPeople> {
    const { repository } = this.#deps
    const { agentId } = visitor
    if (!(await repository.find(agentId, ask.id))) await this.#open(visitor, ask)
    return this.wait(visitor, ask.id, left, graceSeconds)
  }

  /** The same for a question that was asked. Throws `NOT_FOUND`. */
  async wait({ agentId }: Visitor, askId: string, left: AbortSignal, graceSeconds: number): Promise<AskedPeople> {
    const { repository, closed, waitMs } = this.#deps
    const over = Promise.withResolvers<null>()
    // Before the look: an answer that comes meanwhile is not missed.
    const unsubscribe = closed.on((row) => row.agentId === agentId && row.askId === askId && over.resolve(null))
    try {
      const row = await repository.find(agentId, askId)
      if (!row) throw notFound()
      if (row.state !== 'open') return toAsked(row)
      const leave = this.#leases.wait({ agentId, askId })
      try {
        const gone = aborted(AbortSignal.any([left, this.#stopping.signal]))
        await within(waitMs, Promise.race([over.promise, gone]), () => undefined)
      } finally {
        leave((left.aborted ? Math.min(graceSeconds, ASK_GRACE_SECONDS) : graceSeconds) * SECOND_MS)
      }
    } finally {
      unsubscribe()
    }
    const row = await repository.find(agentId, askId)
    if (!row) throw notFound()
    return toAsked(row)
  }

  /** The program does not wait any more. Throws `NOT_FOUND`. */
  async withdraw({ agentId }: Visitor, askId: string): Promise<AskedPeople> {
    const { repository, service } = this.#deps
    const row = await repository.find(agentId, askId)
    if (!row) throw notFound()
    await service.abandon(row.id)
    return toAsked((await repository.find(agentId, askId)) ?? row)
  }

  async #open(visitor: Visitor, ask: NewAsk): Promise<void> {
    const asked = { agentId: visitor.agentId, askId: ask.id }
    if (!this.#leases.has(asked)) {
      // At once, so that many at the same time are counted.
      if (this.#leases.count(asked.agentId) >= ASKS_OPEN_PER_AGENT)
        throw new AppError(
          'TOO_MANY_DIALOGS',
          `The programs of an agent may have ${ASKS_OPEN_PER_AGENT} open questions.`,
        )
      this.#allowance.take(asked.agentId)
      this.#leases.open(asked, ASK_GRACE_SECONDS * SECOND_MS)
    }
    try {
      await this.#store(visitor, ask)
    } catch (error) {
      this.#leases.close(asked)
      throw error
    }
  }

  async #store(visitor: Visitor, ask: NewAsk): Promise<void> {
    const { repository, service, askers, addToRun, questions, clock } = this.#deps
    const asker = await askers.of(visitor)
    const {
      title,
      message = null,
      question,
    } = asker.clean({
      ...{ title: ask.title, message: ask.message, question: ask.question },
    })
    const expiresAt = ask.timeout_seconds === undefined ? null : new Date(clock.now() + ask.timeout_seconds * SECOND_MS)
    // Before: a question that is answered at once must not look open.
    if (asker.run) questions.opened(asker.run.id, ask.id)
    try {
      await service.open({ ...askerOf(asker, ask.id), title, message, question, expiresAt })
    } catch (error) {
      if (asker.run) questions.closed(asker.run.id, ask.id)
      throw error
    }
    if (asker.run) addToRun(asker.run.id, questionOf(ask.id, title))
    await repository.trim(visitor.agentId, ASKS_KEPT_PER_AGENT)
  }

  async #abandon(asked: Asked): Promise<void> {
    try {
      const row = await this.#deps.repository.find(asked.agentId, asked.askId)
      if (row) await this.#deps.service.abandon(row.id)
      this.#leases.close(asked)
    } catch (error) {
      // While it is open, the time of its task stands still.
      this.#leases.retry(asked, ASK_GRACE_SECONDS * SECOND_MS)
      this.#deps.log.warn(
        { ...asked, err: error, againInSeconds: ASK_GRACE_SECONDS },
        'a question that nothing waits for could not be withdrawn',
      )
    }
  }
}

const askerOf = ({ agent, run, personal }: Asker, askId: string) => ({
  ...{ agentId: agent.id, agentName: agent.name, askId, personal },
  userId: run?.userId ?? null,
  runId: run?.id ?? null,
  requestId: run ? askId : null,
  folder: run?.cwd ?? null,
})

const toAsked = ({ askId, state, answer }: DialogRow): AskedPeople => ({ id: askId ?? '', state, answer })
