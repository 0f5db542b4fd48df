/**
 * Reads one process that speaks ACP with the platform. It is led through one turn: `initialize`, a session, its settings,
 * and the prompt.
 */
import { EVENT_TEXT_MAX, type ModelUsage, type RunHappening } from '@slipway/protocol'
import type { Ask, Delta, Failure, Message, Reading, ReadOptions, Verdict } from '../headless.ts'
import { happeningOf } from '../parts/failures.ts'
import { said, used } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, type Fields, fieldsIn, objectOf, textIn } from '../parts/json.ts'
import { planOf } from '../parts/plan.ts'
import { Repeats } from '../parts/repeats.ts'
import { type RpcError, type RpcId, rpcOf } from '../parts/rpc.ts'
import { isWork } from '../parts/work.ts'
import { AcpAsks, callIdOf, cancelledLine, isOffered, type Printed, rpcIdOf } from './asks.ts'
import { AcpCalls, isOver } from './calls.ts'
import type { AcpCli } from './cli.ts'
import { AcpMessages, cancelLine } from './messages.ts'

/** The first words of a line that may have a piece of a text. */
const CHUNK = /"sessionUpdate":"agent_(?:message|thought)_chunk"/
/** Updates that may stand between two of them. */
const ASIDE = /"sessionUpdate":"(?:usage_update|session_info_update|available_commands_update|config_option_update)"/
/** How much of a line is searched for the kind of its update, in UTF-16 code units. */
const HEAD_MAX = 500
/** The beginning of a question that is too long to be read. */
const LONG_QUESTION = /^\{"jsonrpc":"2\.0","id":(?<id>\d{1,15}|"[^"\\]{1,200}"),"method":"session\/request_permission"/

/** Why a turn has ended that did not do all. */
const STOPS: ReadonlyMap<unknown, Pick<Failure, 'reason' | 'message'>> = new Map([
  ['max_turn_requests', { reason: 'max_turns', message: 'The turn had too many requests to the model.' }],
  ['max_tokens', { reason: 'cli_error', message: 'The model has reached the highest number of tokens.' }],
  ['refusal', { reason: 'cli_error', message: 'The model refused to go on.' }],
])

export class AcpReading implements Reading {
  readonly #cli: AcpCli
  /** The CLI's reading of a run without people. It knows its standard error. */
  readonly #errors: Reading
  readonly #messages: AcpMessages
  readonly #asks: AcpAsks
  readonly #calls: AcpCalls
  readonly #repeats = new Repeats()
  #answer: string | null = null
  /** Whether the next piece begins another answer. */
  #isAnswerComplete = false
  #hasWorked = false
  #isOver = false
  #failure: Failure | null = null
  /** What was not allowed, until the CLI goes on. */
  #denied: string | null = null
  #usage: readonly ModelUsage[] = []
  /** A question whose tool the next line may describe. */
  #early: Pick<Printed, 'id' | 'params'> | null = null

  constructor(cli: AcpCli, errors: Reading, options: ReadOptions) {
    this.#cli = cli
    this.#errors = errors
    this.#messages = new AcpMessages(cli, options)
    this.#asks = new AcpAsks(cli)
    this.#calls = new AcpCalls(cli)
  }

  line(text: string, now: number): readonly RunHappening[] {
    if (this.#isOver) return []
    const early = this.#early
    this.#early = null
    const happenings = [...this.#read(text, now), ...(early ? this.#ask(early) : [])]
    if (happenings.some(isWork)) this.#hasWorked = true
    return happenings
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    return this.#isOver ? [] : (this.#errors.errorLine?.(text, now) ?? [])
  }

  longLine(text: string): readonly RunHappening[] {
    const id = LONG_QUESTION.exec(text)?.groups?.id
    if (id === undefined || this.#isOver) return []
    return this.#refuse(rpcIdOf(JSON.parse(id)), 'is too long to be shown')
  }

  delta(line: string): Delta | 'aside' | null {
    const head = line.slice(0, HEAD_MAX)
    if (ASIDE.test(head)) return 'aside'
    const message = CHUNK.test(head) ? objectOf(line) : null
    const params = fieldsIn(message?.params)
    const update = fieldsIn(params.update)
    const content = fieldsIn(update.content)
    const text = textIn(content.text)
    if (message === null || text === null) return null
    const withText = (other: string): object => ({ ...update, content: { ...content, text: other } })
    return {
      stream: `${String(update.sessionUpdate)} ${textIn(update.messageId) ?? ''}`,
      text,
      with: (other) => JSON.stringify({ ...message, params: { ...params, update: withText(other) } }),
    }
  }

  asks(): readonly Ask[] {
    return this.#asks.open
  }

  messages(): readonly Message[] {
    return this.#messages.waiting
  }

  sent(id: string): void {
    this.#messages.sent(id)
  }

  /** The questions are answered, too: Gemini ends its turn only then. */
  interruption(): string | null {
    const { session, isPrompted } = this.#messages
    if (session === null || !isPrompted || this.#isOver) return null
    return [cancelLine(session), ...this.#asks.open.map(({ printed }) => cancelledLine(rpcIdOf(printed.id)))].join('\n')
  }

  verdict(): Verdict {
    const errors = this.#errors.verdict()
    return {
      sessionId: this.#messages.session,
      result: this.#answer === null ? null : bounded(this.#answer),
      isOver: this.#isOver || errors.isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure ?? (this.#isOver ? null : errors.failure),
      usage: this.#usage,
      costUsd: null,
    }
  }

  #read(text: string, now: number): readonly RunHappening[] {
    const message = rpcOf(text)
    switch (message?.kind) {
      case 'result':
        return this.#answered(message.id, message.result)
      case 'error':
        return this.#refused(message.id, message.error, now)
      case 'request':
        return this.#asked(message.id, message.method, message.params)
      case 'notification':
        if (message.method === 'session/update') return this.#updated(message.params, now)
        if (message.method === '$/cancel_request')
          this.#asks.settle(({ printed }) => printed.id === message.params.requestId)
        return []
      default:
        return []
    }
  }

  /** An answer to a request of the platform. */
  #answered(id: RpcId, result: Fields): readonly RunHappening[] {
    const step = this.#messages.answered(id, result)
    if (step === 'prompt') return this.#end(result)
    if (step === 'no session') return this.#fail(failed(`${this.#cli.label} has named no session.`))
    const refusal = step === 'session' ? (this.#cli.refusalOf?.(result) ?? null) : null
    if (refusal !== null) return this.#fail(refusal)
    if (step !== 'session') return []
    const { isResumed } = this.#messages
    const message = `${this.#cli.label} has ${isResumed ? 'resumed its session' : 'started'}.`
    return [{ type: 'status', status: isResumed ? 'resumed' : 'started', message }]
  }

  #refused(id: RpcId, error: RpcError, now: number): readonly RunHappening[] {
    if (!this.#messages.isAwaited(id)) return []
    const message = textIn(error.data.details) ?? error.message
    const failure = this.#cli.failureOf({ ...error, message }, now)
    const isLost = this.#messages.isContinuing && this.#cli.isLost?.(error) === true
    return this.#fail(isLost ? { ...failure, reason: 'session_lost' } : failure)
  }

  #asked(id: RpcId, method: string, params: Fields): readonly RunHappening[] {
    if (method !== 'session/request_permission') {
      this.#messages.answer(id, method)
      return []
    }
    if (!isOffered(this.#cli, params)) return this.#refuse(id, 'has no answer that counts once')
    if (this.#cli.asksEarly && !this.#calls.isKnown(fieldsIn(params.toolCall))) {
      this.#early = { id, params }
      return []
    }
    return this.#ask({ id, params })
  }

  #ask({ id, params }: Pick<Printed, 'id' | 'params'>): readonly RunHappening[] {
    if (this.#isOver) return []
    const fields = fieldsIn(params.toolCall)
    const moved = this.#movedOn(callIdIn(fields.toolCallId))
    const { call, happenings } = this.#calls.asked(fields)
    return [...moved, ...happenings, ...this.#asks.asked({ id, params, call })]
  }

  /** A question that no user can answer. */
  #refuse(id: RpcId, why: string): readonly RunHappening[] {
    this.#messages.reply(id, cancelledLine(id))
    return [notice(`A question of ${this.#cli.label} ${why}, so it was denied.`)]
  }

  /** Before the prompt, a session that is loaded tells its history. */
  #updated({ sessionId, update: value }: Fields, now: number): readonly RunHappening[] {
    const { session, isPrompted } = this.#messages
    if (!isPrompted || sessionId !== session) return []
    const update = fieldsIn(value)
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        return this.#say(textIn(fieldsIn(update.content).text) ?? '', now)
      case 'agent_thought_chunk':
        return said('thinking', fieldsIn(update.content).text)
      case 'tool_call':
      case 'tool_call_update':
        return this.#use(update)
      case 'plan':
        return [planOf(update.entries, 'content')]
      default:
        return []
    }
  }

  #say(text: string, now: number): RunHappening[] {
    if (text === '') return []
    const aside = this.#cli.asideIn?.(text, now) ?? null
    if (aside !== null) {
      if (aside.isRetry) this.#repeats.broken()
      this.#failure = aside.failure ?? this.#failure
      return [...aside.happenings]
    }
    const moved = this.#movedOn(null)
    const piece = this.#repeats.next(text)
    if (piece === '') return moved
    const before = this.#isAnswerComplete ? '' : (this.#answer ?? '')
    this.#isAnswerComplete = false
    // One code unit more than an event holds, so that `bounded` marks the cut.
    this.#answer = before.length > EVENT_TEXT_MAX ? before : before + piece.slice(0, EVENT_TEXT_MAX + 1)
    return [...moved, { type: 'text', text: bounded(piece) }]
  }

  #use(update: Fields): RunHappening[] {
    const callId = callIdIn(update.toolCallId)
    const moved = this.#movedOn(callId)
    this.#isAnswerComplete = true
    this.#repeats.complete()
    if (isOver(update)) {
      const asked = this.#asks.open.find((ask) => callId !== null && callIdOf(ask) === callId)
      this.#asks.settle((ask) => ask === asked)
      if (this.#cli.endOf(fieldsIn(update.rawOutput)).isDenied) this.#denied = asked ? whatIn(asked) : 'a tool'
    }
    return [...moved, ...this.#calls.read(update)]
  }

  /** The CLI says or does something else than this call. */
  #movedOn(callId: string | null): RunHappening[] {
    this.#denied = null
    this.#failure = null
    if (!this.#cli.asksAlone) return []
    const settled = this.#asks.settle((ask) => callId === null || callIdOf(ask) !== callId)
    return settled.flatMap((id) => this.#calls.dropped(id))
  }

  /** The answer to the prompt. */
  #end(result: Fields): readonly RunHappening[] {
    const { label, stopsWhenDenied, usageIn } = this.#cli
    this.#usage = usageIn(result)
    const usage = used(this.#usage)
    if (result.stopReason === 'cancelled') return [...usage, ...this.#over(), notice(`${label} was cancelled.`)]
    const stop = STOPS.get(result.stopReason)
    if (stop !== undefined) return [...usage, ...this.#fail({ ...failed(stop.message), ...stop })]
    if (stopsWhenDenied && this.#denied !== null)
      return [...usage, ...this.#fail(failed(`${label} ended its turn, because this was not allowed: ${this.#denied}`))]
    const text = this.#answer ?? this.#failure?.message ?? ''
    return [...usage, ...this.#over(), { type: 'result', text: bounded(text), isError: this.#failure !== null }]
  }

  #fail(failure: Failure): readonly RunHappening[] {
    this.#failure = failure
    return [...this.#over(), happeningOf(failure), { type: 'result', text: failure.message, isError: true }]
  }

  /** Nothing follows. */
  #over(): RunHappening[] {
    this.#isOver = true
    this.#messages.over()
    return this.#asks.settle(() => true).flatMap((callId) => this.#calls.dropped(callId))
  }
}

/** What a question is about, in a few words. */
const whatIn = ({ title, question }: Ask): string =>
  (question.kind === 'approval' && (question.command ?? question.path)) || title

const failed = (message: string): Failure => ({
  reason: 'cli_error',
  message: bounded(message),
  status: null,
  resetsAt: null,
})

const notice = (message: string): RunHappening => ({ type: 'status', status: 'notice', message })
