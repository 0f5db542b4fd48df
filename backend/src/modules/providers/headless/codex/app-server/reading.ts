/** Reads what one process of `codex app-server` prints, and says what it waits for. The process has one turn. */
import type { RunHappening } from '@slipway/protocol'
import type { Ask, Message, Reading, ReadOptions, UserMessage, Verdict } from '../../headless.ts'
import { callIdIn, sessionIdIn } from '../../parts/ids.ts'
import { bounded, countIn, type Fields, fieldsIn, integerIn, listIn, textIn } from '../../parts/json.ts'
import { planOf } from '../../parts/plan.ts'
import { requestLine, rpcOf, type RpcMessage } from '../../parts/rpc.ts'
import { FATAL, failureOf } from '../failure.ts'
import type { Stage } from '../items.ts'
import { startedOf } from '../reading.ts'
import { CodexTurn } from '../turn.ts'
import { CodexAsks } from './asks.ts'
import { errorIn } from './errors.ts'
import { execItemOf } from './items.ts'
import { refusalOf } from './replies.ts'
import { helloMessages, IDS, promptMessage, steeredIn, steerLine, threadMessages } from './requests.ts'

/** Most requests of Codex that this client refuses and that are open. */
const REFUSED_MAX = 100
/** Most messages of its user that Codex can refuse in one turn. */
const UNTAKEN_MAX = 100

type Of<K extends RpcMessage['kind']> = Extract<RpcMessage, { kind: K }>

export class AppServerReading implements Reading {
  readonly #options: ReadOptions
  readonly #turn: CodexTurn
  readonly #asks = new CodexAsks()
  /** What is said no to without asking people. */
  #refused: readonly Message[] = []
  /** The messages of its user that Codex has refused. */
  #untaken: readonly string[] = []
  #isGreeted = false
  #isPrompted = false
  #sessionId: string | null = null
  #turnId: string | null = null
  /** The working folder of the thread, as Codex names it. */
  #folder: string

  constructor(options: ReadOptions) {
    this.#options = options
    this.#folder = options.folder
    this.#turn = new CodexTurn(options.totalsBefore)
  }

  line(text: string, now: number): readonly RunHappening[] {
    const message = rpcOf(text)
    switch (message?.kind) {
      case 'request':
        return this.#request(message)
      case 'notification':
        return this.#notification(message, now)
      case 'result':
        return this.#result(message)
      case 'error':
        return this.#error(message, now)
      default:
        return []
    }
  }

  /** Codex could not start, for example because of its settings. */
  errorLine(text: string, now: number): readonly RunHappening[] {
    return FATAL.test(text) && !this.#turn.isOver ? this.#turn.error(failureOf(text.replace(FATAL, ''), now)) : []
  }

  asks(): readonly Ask[] {
    return this.#asks.open
  }

  messages(): readonly Message[] {
    if (this.#turn.isOver) return []
    if (!this.#isGreeted) return helloMessages()
    if (this.#sessionId === null) return threadMessages(this.#options)
    if (this.#isPrompted || this.#turnId !== null) return this.#refused
    return [promptMessage(this.#sessionId, this.#options.prompt ?? ''), ...this.#refused]
  }

  sent(id: string): void {
    if (id === IDS.turn) this.#isPrompted = true
  }

  steering(message: UserMessage): string | null {
    if (this.#sessionId === null || this.#turnId === null || this.#turn.isOver) return null
    return steerLine(this.#sessionId, this.#turnId, message)
  }

  untaken(): readonly string[] {
    return this.#untaken
  }

  /** A command that runs is left behind, so the processes have to be ended as well. */
  interruption(): string | null {
    if (this.#sessionId === null || this.#turnId === null || this.#turn.isOver) return null
    return requestLine(IDS.interrupt, 'turn/interrupt', { threadId: this.#sessionId, turnId: this.#turnId })
  }

  verdict(): Verdict {
    return this.#turn.verdict(this.#sessionId)
  }

  #result({ id, result }: Of<'result'>): readonly RunHappening[] {
    switch (id) {
      case IDS.initialize:
        this.#isGreeted = true
        return []
      case IDS.thread:
        return this.#started(result)
      case IDS.turn:
        this.#turnId = callIdIn(fieldsIn(result.turn).id) ?? this.#turnId
        return []
      default:
        return []
    }
  }

  /** If a server was killed, the next one may have begun a second thread. The first one counts. */
  #started(result: Fields): readonly RunHappening[] {
    if (this.#sessionId !== null) return []
    this.#sessionId = sessionIdIn(fieldsIn(result.thread).id)
    this.#folder = textIn(result.cwd) ?? this.#folder
    return this.#sessionId === null ? [] : [startedOf(this.#options)]
  }

  #error({ id, error }: Of<'error'>, now: number): readonly RunHappening[] {
    // It has been greeted before.
    if (id === IDS.initialize) this.#isGreeted = true
    const steered = steeredIn(id)
    if (steered !== null) return this.#notTaken(steered, error.message)
    const isFatal = id === IDS.turn || (id === IDS.thread && this.#sessionId === null)
    return isFatal ? this.#fails(error.message, now) : []
  }

  #notTaken(messageId: string, why: string): readonly RunHappening[] {
    if (this.#untaken.length < UNTAKEN_MAX) this.#untaken = [...this.#untaken, messageId]
    const message = bounded(`Codex has not taken a message that was given to its turn: ${why}`)
    return [{ type: 'status', status: 'notice', message }]
  }

  #fails(...failure: Parameters<typeof failureOf>): readonly RunHappening[] {
    this.#asks.clear()
    return this.#turn.fails(failureOf(...failure))
  }

  #request(request: Of<'request'>): readonly RunHappening[] {
    const before = this.#asks.open
    const ask = this.#asks.asked(request, this.#folder, this.#turnId)
    if (ask === null) return this.#refuse(request)
    if (this.#asks.open === before) return []
    return [{ type: 'question', requestId: ask.id, callId: callIdIn(request.params.itemId), title: ask.title }]
  }

  /** Codex would wait for an answer without an end. */
  #refuse({ id, method }: Of<'request'>): readonly RunHappening[] {
    const name = `refusal-${id}`
    if (this.#refused.length >= REFUSED_MAX || this.#refused.some((one) => one.id === name)) return []
    this.#refused = [...this.#refused, { id: name, line: refusalOf(id, method) }]
    return [{ type: 'status', status: 'notice', message: bounded(`Codex was refused what it asked for: ${method}`) }]
  }

  #notification({ method, params }: Of<'notification'>, now: number): readonly RunHappening[] {
    if (method === 'serverRequest/resolved') return this.#resolved(params)
    if (method === 'item/started' && fieldsIn(params.item).type === 'fileChange')
      this.#asks.changes(fieldsIn(params.item))
    if (method === 'item/completed') this.#asks.ended(fieldsIn(params.item))
    // Those of another agent that the model has begun. What it asks is asked all the same.
    if (params.threadId !== undefined && params.threadId !== null && params.threadId !== this.#sessionId) return []
    switch (method) {
      case 'turn/started':
        this.#turnId ??= callIdIn(fieldsIn(params.turn).id)
        return []
      case 'item/started':
        return this.#item('started', params)
      case 'item/completed':
        return this.#item('completed', params)
      case 'turn/plan/updated':
        return this.#turn.isOver ? [] : [planOf(listIn(params.plan).map(stepOf), 'step')]
      case 'thread/tokenUsage/updated':
        // After a resume, Codex first repeats the totals of the last turn.
        this.#counts(params.turnId, fieldsIn(fieldsIn(params.tokenUsage).total))
        return []
      case 'warning':
        return [{ type: 'status', status: 'notice', message: bounded(textIn(params.message) ?? '') }]
      case 'error':
        return this.#told(params, now)
      case 'turn/completed':
        return this.#completed(fieldsIn(params.turn), now)
      default:
        return []
    }
  }

  #resolved({ requestId }: Fields): readonly RunHappening[] {
    const id = integerIn(requestId) ?? textIn(requestId)
    this.#asks.settled(id)
    this.#refused = this.#refused.filter((one) => one.id !== `refusal-${id}`)
    return []
  }

  #item(stage: Stage, params: Fields): readonly RunHappening[] {
    return this.#turn.item(stage, execItemOf(fieldsIn(params.item)))
  }

  #counts(turnId: unknown, total: Fields): void {
    const tokens = {
      input: countIn(total.inputTokens),
      output: countIn(total.outputTokens),
      cacheRead: countIn(total.cachedInputTokens),
      cacheWrite: countIn(total.cacheWriteInputTokens),
    }
    if (turnId === this.#turnId) this.#turn.counts(tokens)
    else if (this.#turnId === null) this.#turn.repeats(tokens)
  }

  #told(params: Fields, now: number): readonly RunHappening[] {
    const { message, told } = errorIn(params.error)
    return params.willRetry === true ? this.#turn.retries(message) : this.#turn.error(failureOf(message, now, told))
  }

  #completed(turn: Fields, now: number): readonly RunHappening[] {
    if (this.#turnId === null || turn.id !== this.#turnId) return []
    this.#asks.clear()
    switch (turn.status) {
      case 'completed':
        return this.#turn.completes()
      case 'interrupted':
        return this.#turn.interrupted()
      default: {
        const { message, told } = errorIn(turn.error)
        return this.#fails(message, now, told)
      }
    }
  }
}

const stepOf = ({ step, status }: Fields): Fields => ({
  step,
  status: status === 'inProgress' ? 'in_progress' : status,
})
