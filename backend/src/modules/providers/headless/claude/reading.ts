/** Reads what one process of Claude prints. */
import type { ModelUsage, RunHappening } from '@slipway/protocol'
import { happeningOf } from '../parts/failures.ts'
import type { Ask, Failure, Reading, ReadOptions, UserMessage, Verdict } from '../headless.ts'
import { said, used } from '../parts/happenings.ts'
import { sessionIdIn } from '../parts/ids.ts'
import { bounded, countIn, type Fields, fieldsIn, listIn, numberIn, objectOf, textIn } from '../parts/json.ts'
import { shareOf } from '../parts/share.ts'
import { isWork } from '../parts/work.ts'
import { failureIn, isInterruption, type ServerError, statusIn, type UsageLimit } from './failure.ts'
import { resetAt } from './limit.ts'
import { ClaudeAsks } from './asks.ts'
import { userMessage } from './input.ts'
import { ClaudeTools } from './tools.ts'
import { costIn, costOf, MessageUsage, totalsIn } from './usage.ts'

/** Each line holds a whole block of a message, so a `text` event is never a part of a sentence. */
export class ClaudeReading implements Reading {
  readonly #options: Pick<ReadOptions, 'resume' | 'totalsBefore'>
  readonly #tools = new ClaudeTools()
  readonly #asks = new ClaudeAsks()
  #sessionId: string | null = null
  #hasStarted = false
  #hasWorked = false
  #isOver = false
  #result: string | null = null
  #failure: Failure | null = null
  /** What Claude has printed at the end of a turn. */
  #totals: readonly ModelUsage[] = []
  #costUsd: number | null = null
  /** What the messages say until then. */
  readonly #counted = new MessageUsage()
  /** The model server's last error, until the model answers again. */
  #error: ServerError | null = null
  /** The account's limit, while it is reached. */
  #limit: UsageLimit | null = null
  /** Claude's note that the turn was interrupted. */
  #interruption: string | null = null

  constructor(options: Pick<ReadOptions, 'resume' | 'totalsBefore'>) {
    this.#options = options
  }

  line(text: string, now: number): readonly RunHappening[] {
    const line = objectOf(text)
    // A JSON object that was cut is no sentence.
    if (line === null) return text.startsWith('{') ? [] : this.errorLine(text)
    const happenings = this.#read(line, now)
    if (happenings.some(isWork)) this.#hasWorked = true
    return happenings
  }

  #read(line: Fields, now: number): RunHappening[] {
    switch (line.type) {
      case 'system':
        return this.#system(line)
      case 'assistant':
        return this.#assistant(line)
      case 'user':
        return this.#user(line)
      case 'rate_limit_event':
        this.#rateLimit(fieldsIn(line.rate_limit_info), now)
        return []
      case 'control_request':
        return this.#asks.asked(line)
      // Claude does not wait any more: it takes the question back, or repeats the answer.
      case 'control_cancel_request':
        this.#asks.settled(textIn(line.request_id))
        return []
      case 'control_response':
        this.#asks.settled(textIn(fieldsIn(line.response).request_id))
        return []
      case 'result':
        return this.#end(line, now)
      // This leaves out `stream_event`, whose whole block follows.
      default:
        return []
    }
  }

  errorLine(text: string): readonly RunHappening[] {
    const message = text.trim()
    return message === '' ? [] : [notice(message)]
  }

  asks(): readonly Ask[] {
    return this.#asks.open
  }

  /** Claude takes it at any time. */
  steering({ text }: UserMessage): string {
    return JSON.stringify(userMessage(text))
  }

  /** The totals of a process that resumed a session continue those of the session. */
  verdict(): Verdict {
    const hasTotals = this.#totals.length > 0
    const usage = hasTotals ? this.#share() : this.#counted.models
    const { totalsBefore = [] } = this.#options
    const isContinued = totalsBefore === null || totalsBefore.length > 0
    return {
      sessionId: this.#sessionId,
      result: this.#result,
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure,
      usage,
      totals: this.#totals,
      costUsd: isContinued ? costOf(usage) : this.#costUsd,
    }
  }

  #system(line: Fields): RunHappening[] {
    switch (line.subtype) {
      case 'init':
        return this.#start(line)
      case 'api_retry':
        this.#error = { kind: textIn(line.error), status: statusIn(line.error_status), text: null }
        return [{ type: 'status', status: 'retrying', message: retryOf(line) }]
      case 'task_notification':
        return this.#tools.notification(line)
      case 'permission_denied':
        return [notice(textIn(line.message) ?? 'Claude was denied a permission.')]
      case 'compact_boundary':
        return [notice('Claude has compacted the conversation.')]
      default:
        return []
    }
  }

  /** A turn starts. Claude takes a further one when a background command has ended. */
  #start(line: Fields): RunHappening[] {
    this.#name(line)
    this.#isOver = false
    if (this.#hasStarted) return []
    this.#hasStarted = true
    const model = textIn(line.model)
    const isResumed = this.#options.resume !== null
    const what = isResumed ? 'Claude has resumed its session' : 'Claude has started'
    const message = bounded(model === null ? `${what}.` : `${what} with ${model}.`)
    return [{ type: 'status', status: isResumed ? 'resumed' : 'started', message }]
  }

  #assistant(line: Fields): RunHappening[] {
    const blocks = listIn(fieldsIn(line.message).content)
    const isSubagent = textIn(line.parent_tool_use_id) !== null
    if (line.is_api_error_message === true || textIn(line.error) !== null) {
      // This is no answer of the model, and the result repeats it.
      const text = blocks.map((block) => textIn(block.text) ?? '').join('\n')
      if (!isSubagent) this.#error = { kind: textIn(line.error), status: statusIn(line.api_error_status), text }
      return []
    }
    this.#counted.add(fieldsIn(line.message))
    if (!isSubagent) {
      this.#error = null
      this.#isOver = false
    }
    // What a subagent does is work of this run. What it says is meant for Claude.
    const say = isSubagent ? () => [] : saidIn
    return blocks.flatMap((block) => (block.type === 'tool_use' ? this.#tools.call(block) : say(block)))
  }

  #user(line: Fields): RunHappening[] {
    const blocks = listIn(fieldsIn(line.message).content)
    const results = blocks.filter(({ type }) => type === 'tool_result')
    for (const { tool_use_id: callId } of results) this.#asks.used(textIn(callId))
    // The details do not name their result.
    const details = results.length === 1 ? line.tool_use_result : null
    const happenings = results.flatMap((block) => this.#tools.result(block, details))
    if (line.isReplay === true || textIn(line.parent_tool_use_id) !== null) return happenings
    const note = blocks.map((block) => textIn(block.text) ?? '').find(isInterruption)
    if (note === undefined) return happenings
    this.#interruption = bounded(note)
    return [...happenings, notice(note)]
  }

  #rateLimit(info: Fields, now: number): void {
    const epoch = numberIn(info.resetsAt)
    this.#limit = info.status === 'rejected' ? { endsAt: epoch === null ? null : resetAt(epoch, now) } : null
  }

  /** A turn ends. The last one counts, because it knows what the background commands did. */
  #end(line: Fields, now: number): RunHappening[] {
    this.#name(line)
    this.#isOver = true
    const totals = totalsIn(line.modelUsage)
    if (totals.length > 0) this.#totals = totals
    this.#costUsd = costIn(line.total_cost_usd) ?? this.#costUsd
    const usage = totals.length > 0 ? used(this.#share()) : []

    this.#failure = failureIn(line, { error: this.#error, limit: this.#limit, interruption: this.#interruption }, now)
    this.#interruption = null
    if (this.#failure !== null) {
      const { message } = this.#failure
      return [...usage, happeningOf(this.#failure), { type: 'result', text: message, isError: true }]
    }
    const text = bounded(textIn(line.result) ?? '')
    if (text !== '') this.#hasWorked = true
    // A further turn without an answer does not take back the one before.
    this.#result = text || (this.#result ?? '')
    return [...usage, { type: 'result', text, isError: false }]
  }

  /** Without the totals before, there is only what the messages say. */
  #share(): readonly ModelUsage[] {
    const { totalsBefore } = this.#options
    return totalsBefore === null ? this.#counted.models : shareOf(this.#totals, totalsBefore)
  }

  #name(line: Fields): void {
    this.#sessionId = sessionIdIn(line.session_id) ?? this.#sessionId
  }
}

/** A block of the model's answer, apart from a call. */
const saidIn = (block: Fields): RunHappening[] => {
  if (block.type === 'text') return said('text', block.text)
  return block.type === 'thinking' ? said('thinking', block.thinking) : []
}

const notice = (message: string): RunHappening => ({ type: 'status', status: 'notice', message: bounded(message) })

const retryOf = (line: Fields): string => {
  const status = statusIn(line.error_status)
  const error = `${textIn(line.error) ?? 'no answer'}${status === null ? '' : ` (${status})`}`
  return bounded(`${error}, retry ${countIn(line.attempt) ?? '?'} of ${countIn(line.max_retries) ?? '?'}`)
}
