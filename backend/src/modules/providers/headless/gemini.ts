/**
 * Gemini CLI without a terminal, which prints one JSON object a line. An answer comes in deltas, and each of them is a
 * `text` event. Gemini does not repeat the answer at the end, so the reader joins the deltas that follow the last tool.
 *
 * Gemini has no arguments for a number of turns and a budget, and it names no cost. While the model server refuses,
 * Gemini retries, and only standard error says so.
 */
import { stripVTControlCharacters } from 'node:util'
import { EVENT_TEXT_MAX, type ModelUsage, type RunHappening } from '@slipway/protocol'
import { happeningOf } from './parts/failures.ts'
import { GEMINI, inLaterMinute } from './gemini/acp.ts'
import { failureInErrorLine, failureOf, isCancelled } from './gemini/failure.ts'
import { serversFile } from './gemini/servers.ts'
import { GeminiTools } from './gemini/tools.ts'
import { usageIn } from './gemini/usage.ts'
import type { Delta, Failure, Headless, HeadlessOptions, Reading, Verdict } from './headless.ts'
import { acpPeople } from './acp/people.ts'
import { used } from './parts/happenings.ts'
import { sessionIdIn } from './parts/ids.ts'
import { bounded, type Fields, fieldsIn, objectOf, textIn } from './parts/json.ts'

/** How much of a line of standard error is read, in UTF-16 code units. */
const ERROR_LINE_MAX = 4_096
/** How much of it an event quotes. */
const QUOTED_MAX = 500
const RETRIES = /\bretrying\b/i

const read: Headless['read'] = (options) => new GeminiReading(options)

export const headless: Headless = {
  program: ({ prompt, model, resume, skips, servers }) => ({
    argv: [
      ...['gemini', '--output-format', 'stream-json'],
      ...(skips ? ['--yolo'] : []),
      ...(model === null ? [] : ['--model', model]),
      ...(resume === null ? [] : ['--resume', resume]),
    ],
    env: { NO_COLOR: '1' },
    stdin: new TextEncoder().encode(prompt),
    ...serversFile(servers),
  }),
  people: acpPeople(GEMINI, read, ({ model, resume, servers }) => ({
    argv: inLaterMinute(resume, ['gemini', '--acp', ...(model === null ? [] : ['--model', model])]),
    env: { NO_COLOR: '1' },
    ...serversFile(servers),
  })),
  read,
  inPieces: ['text'],
  answersInterrupt: false,
  takesServers: true,
  // No `takesSkills`: Gemini lists the skills of its home and of trusted folders, and has no folder for one process. See ADR 80.
}

class GeminiReading implements Reading {
  readonly #isResumed: boolean
  readonly #tools: GeminiTools
  #sessionId: string | null = null
  #answer: string | null = null
  /** Whether the next delta begins another answer. */
  #isAnswerComplete = false
  #isOver = false
  #hasWorked = false
  #failure: Failure | null = null
  /** What standard error says. It counts if Gemini ends without a result. */
  #pending: Failure | null = null
  /** The message of the last `error` event. */
  #lastError: string | null = null
  #usage: readonly ModelUsage[] = []

  constructor({ resume, folder }: Pick<HeadlessOptions, 'resume' | 'folder'>) {
    this.#isResumed = resume !== null
    this.#tools = new GeminiTools(folder)
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    switch (event?.type) {
      case 'init':
        return this.#start(event)
      case 'message':
        return event.role === 'assistant' ? this.#say(textIn(event.content) ?? '') : []
      case 'tool_use':
        this.#work()
        this.#isAnswerComplete = true
        return this.#tools.call(event)
      case 'tool_result':
        return this.#tools.result(event)
      case 'error':
        return this.#error(event, now)
      case 'result':
        return this.#end(event, now)
      default:
        return []
    }
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    const line = stripVTControlCharacters(text.slice(0, ERROR_LINE_MAX)).trim()
    this.#pending = failureInErrorLine(line, this.#pending, now)
    if (!RETRIES.test(line)) return []
    const message = line.length > QUOTED_MAX ? `${line.slice(0, QUOTED_MAX)}…` : line
    return [{ type: 'status', status: 'retrying', message }]
  }

  delta(text: string): Delta | null {
    const event = text.includes('"delta"') ? objectOf(text) : null
    const content = textIn(event?.content)
    if (event?.type !== 'message' || event.role !== 'assistant' || content === null) return null
    return { stream: 'answer', text: content, with: (other) => JSON.stringify({ ...event, content: other }) }
  }

  /** A resumed process counts only its own tokens. */
  verdict(): Verdict {
    return {
      sessionId: this.#sessionId,
      result: this.#answer === null ? null : bounded(this.#answer),
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#currentFailure(),
      usage: this.#usage,
      costUsd: null,
    }
  }

  /** Standard error may come after the result, and only it says when a usage limit ends. */
  #currentFailure(): Failure | null {
    if (this.#failure === null) return this.#isOver ? null : this.#pending
    const isLimit = this.#failure.reason === 'usage_limit' && this.#pending?.reason === 'usage_limit'
    const resetsAt = isLimit ? (this.#pending?.resetsAt ?? null) : null
    return { ...this.#failure, resetsAt: this.#failure.resetsAt ?? resetsAt }
  }

  #start(event: Fields): RunHappening[] {
    this.#sessionId = sessionIdIn(event.session_id) ?? this.#sessionId
    const message = bounded(textIn(event.model) ?? '')
    return [{ type: 'status', status: this.#isResumed ? 'resumed' : 'started', message }]
  }

  #say(delta: string): RunHappening[] {
    if (delta === '') return []
    this.#work()
    const before = this.#isAnswerComplete ? '' : (this.#answer ?? '')
    this.#isAnswerComplete = false
    // One code unit more than an event holds, so that `bounded` marks the cut.
    this.#answer = before.length > EVENT_TEXT_MAX ? before : before + delta.slice(0, EVENT_TEXT_MAX + 1)
    return [{ type: 'text', text: bounded(delta) }]
  }

  /** Gemini goes on, so what it said on standard error is over. */
  #work(): void {
    this.#hasWorked = true
    this.#pending = null
  }

  #error(event: Fields, now: number): RunHappening[] {
    const message = bounded(textIn(event.message) ?? '')
    if (message === '') return []
    if (event.severity !== 'error') return [{ type: 'status', status: 'notice', message }]
    this.#lastError = message
    const failure = failureOf(message, null, now)
    // The result that follows may call this a success.
    if (failure.reason === 'max_turns') this.#failure = failure
    return [happeningOf(failure)]
  }

  #end(event: Fields, now: number): RunHappening[] {
    const models = usageIn(fieldsIn(event.stats))
    if (models.length > 0) this.#usage = models
    const usage = used(models)
    const error = fieldsIn(event.error)
    if (isCancelled(error)) return [...usage, { type: 'status', status: 'notice', message: 'Gemini was cancelled.' }]

    this.#isOver = true
    this.#isAnswerComplete = true
    const answer = bounded(this.#answer ?? '')
    if (event.status === 'success') return [...usage, { type: 'result', text: answer, isError: this.#failure !== null }]
    const message = textIn(error.message)
    const failure = failureOf(message ?? this.#lastError ?? 'Gemini has named no reason.', this.#pending, now)
    this.#failure = failure
    const isKnown = message === null && this.#lastError !== null
    const result: RunHappening = { type: 'result', text: failure.message, isError: true }
    return [...usage, ...(isKnown ? [] : [happeningOf(failure)]), result]
  }
}
