/** The questions of one run to people: opens them as dialogs, and gives the answers to its program. */
import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerDialog, DialogQuestion, QuestionOf } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Log } from '../../../lib/log.ts'
import type { DialogRepository, DialogRow } from '../../dialogs/repository.ts'
import type { RuleService } from '../../dialogs/rules/service.ts'
import type { DialogService } from '../../dialogs/service.ts'
import type { Ask, Message, UserMessage } from '../../providers/headless/headless.ts'
import { retryMs } from '../conduct/retry.ts'
import type { AskingRun } from './asking-run.ts'
import { RunMessages } from './messages.ts'
import { graded, passesOf, ruled } from './ruled.ts'
import type { RunWait } from './wait.ts'

export interface PeopleDeps {
  readonly dialogs: {
    readonly service: Pick<DialogService, 'open' | 'withdraw'>
    readonly repository: Pick<DialogRepository, 'ofRun' | 'sent'>
    readonly closed: Pick<Signal<DialogRow>, 'on'>
    readonly rules: Pick<RuleService, 'inForce'>
  }
  readonly clock: Clock
  readonly log: Log
}

export class RunPeople {
  readonly #deps: PeopleDeps
  readonly #run: AskingRun
  /** The questions that the program waits for. */
  #asks: readonly Ask[] = []
  /** Those that are dialogs. */
  readonly #opened = new Set<string>()
  /** Those that this backend has answered. */
  readonly #answered = new Set<string>()
  readonly #wait: Pick<RunWait, 'store'>
  /** How many messages the program is known to have refused. */
  #untaken = 0
  #isOver = false
  /** Settles when all that was noticed so far is stored. */
  #work: Promise<void> = Promise.resolve()
  readonly #messages: RunMessages
  #whenAnswered: () => void = () => undefined
  readonly #unsubscribe: () => void

  /** `wait` stores that the run waits, and asks {@link isUnanswered}. */
  constructor(deps: PeopleDeps, run: AskingRun, wait: Pick<RunWait, 'store'>) {
    this.#deps = deps
    this.#run = run
    this.#wait = wait
    this.#messages = new RunMessages(run)
    this.#unsubscribe = deps.dialogs.closed.on((row) => {
      if (row.runId === run.held.id) this.#do(() => this.#answerIfAsked([row]))
    })
  }

  /** Whether the program waits for people. It may not have noticed yet that it was answered. */
  get isAsked(): boolean {
    return this.isUnanswered && !this.#isOver
  }

  /** The same, also after this backend has left the run. */
  get isUnanswered(): boolean {
    return this.#asks.some(({ id }) => !this.#answered.has(id))
  }

  /** Calls this when a question was answered, which the program may show only much later. */
  whenAnswered(listener: () => void): void {
    this.#whenAnswered = listener
  }

  /** The questions that the program waits for, as far as its output is stored. */
  update(asks: readonly Ask[]): void {
    if (asks === this.#asks || this.#isOver) return
    this.#asks = asks
    this.#do(() => this.#reconcile(asks))
  }

  /** The messages that the program waits for, as far as its output is stored. */
  tell(messages: readonly Message[]): void {
    if (!this.#isOver) this.#messages.update(messages)
  }

  /** Asks the program to end its turn, with a line of its driver. */
  interrupt(line: string): void {
    void this.#messages.write(line)
  }

  /** Gives the program a message of a user while its turn goes on. False if it takes none, or if its turn is over. */
  async steer(message: UserMessage): Promise<boolean> {
    const line = this.#isOver ? null : this.#run.steering(message)
    return line !== null && this.#messages.write(line)
  }

  /** The messages of its user that the program has refused, as far as its output is stored. They only become more. */
  refused(ids: readonly string[]): void {
    for (const id of ids.slice(this.#untaken)) this.#run.untaken(id)
    this.#untaken = ids.length
  }

  /** The program asks nothing more. */
  finish(): void {
    this.#run.input.end()
  }

  /** The run has ended, so its questions need no answer. */
  async end(): Promise<void> {
    if (this.#isOver) return
    this.leave()
    await this.#work
    const { dialogs, log } = this.#deps
    const { id } = this.#run.held
    // A sweep finds what is left if this fails.
    await dialogs.service.withdraw(id).catch((error: unknown) => {
      log.warn({ sessionId: id, err: error }, 'the questions of a run could not be withdrawn')
    })
  }

  /** The run goes on without this backend. The next one finds its questions in the output. */
  leave(): void {
    this.#isOver = true
    this.#unsubscribe()
  }

  /** One after the other. While the database refuses, it is tried again: no question is lost. */
  #do(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => {
      for (let tries = 0; !this.#isOver; tries += 1)
        try {
          return await step()
        } catch (error) {
          const { id } = this.#run.held
          this.#deps.log.error({ sessionId: id, err: error, tries }, 'a question of a run could not be stored')
          await delay(retryMs(tries), undefined, { ref: false })
        }
    })
  }

  async #reconcile(asks: readonly Ask[]): Promise<void> {
    const { dialogs } = this.#deps
    const { held, about } = this.#run
    const isAsked = new Set(asks.map(({ id }) => id))
    const gone = [...this.#opened].filter((id) => !isAsked.has(id))
    // An answered one is closed.
    const left = gone.filter((id) => !this.#answered.has(id))
    if (left.length > 0) await dialogs.service.withdraw(held.id, left)
    for (const id of gone) this.#opened.delete(id)
    const fresh = asks.filter(({ id }) => !this.#opened.has(id))
    const freshIds = fresh.map(({ id }) => id)
    const before = fresh.length === 0 ? [] : await dialogs.repository.ofRun(held.id, freshIds)
    const isKnown = new Set(before.map(({ requestId }) => requestId))
    for (const ask of fresh) {
      const { id: requestId, title, message } = ask
      const question = graded(ask, this.#run)
      // What people were asked already is theirs to answer.
      const byRule = isKnown.has(requestId) ? null : await ruled(dialogs.rules, { ...ask, question }, this.#run)
      if (byRule) this.#settle(requestId, byRule.answer, byRule.text)
      else if (this.#isAllowed(question)) this.#settle(requestId, { decision: 'allow' }, allowedText(question))
      else await dialogs.service.open({ ...about(), runId: held.id, requestId, title, message, question })
      this.#opened.add(requestId)
    }
    await this.#wait.store()
    // An earlier backend may have asked them, and been killed before it gave the answer.
    await this.#answerIfAsked(before)
  }

  /** With the policy `tiers`, what can be brought back needs no person. */
  #isAllowed(question: DialogQuestion): question is QuestionOf<'approval'> {
    return this.#run.policy === 'tiers' && question.kind === 'approval' && question.tier <= passesOf('tiers')
  }

  /** Without a person. `text` says why. */
  #settle(requestId: string, answer: AnswerDialog, text: string): void {
    const { input, reply, add } = this.#run
    const ask = this.#asks.find(({ id }) => id === requestId)
    if (!ask || this.#answered.has(requestId)) return
    this.#answered.add(requestId)
    input.write(Buffer.from(`${reply(ask, answer)}\n`))
    add({ type: 'answer', requestId, decision: decisionOf(answer), text, by: null })
    this.#whenAnswered()
  }

  async #answerIfAsked(rows: readonly DialogRow[]): Promise<void> {
    const { dialogs, clock } = this.#deps
    const { input, reply, add } = this.#run
    for (const row of rows) {
      const ask = this.#asks.find(({ id }) => id === row.requestId)
      if (!ask || row.state === 'open' || row.state === 'withdrawn' || this.#answered.has(ask.id)) continue
      // Stored first. After a crash the program still waits if it did not get the answer, and then gets the same one.
      await dialogs.repository.sent(row.id, new Date(clock.now()))
      this.#answered.add(ask.id)
      input.write(Buffer.from(`${reply(ask, row.answer)}\n`))
      const { answer, closedBy: by } = row
      add({ type: 'answer', requestId: ask.id, decision: decisionOf(answer), text: textOf(answer), by })
      this.#whenAnswered()
    }
    await this.#wait.store()
  }
}

const allowedText = ({ reasons }: QuestionOf<'approval'>): string => ['Allowed by its policy.', ...reasons].join(' ')

const decisionOf = (answer: AnswerDialog | null) => {
  if (answer === null) return 'cancel'
  return 'value' in answer ? 'answer' : answer.decision
}

/** The answer as a sentence of the run's events. The dialog has the whole of it. */
const textOf = (answer: AnswerDialog | null): string => {
  if (answer === null) return 'Cancelled.'
  if ('value' in answer) return 'Answered.'
  if (answer.always !== undefined) return answer.decision === 'allow' ? 'Allowed, from now on.' : 'Denied, from now on.'
  if (answer.decision === 'deny') return 'Denied.'
  return answer.command === undefined ? 'Allowed once.' : 'Allowed once, with a changed command.'
}
