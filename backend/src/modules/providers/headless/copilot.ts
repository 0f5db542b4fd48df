/** GitHub Copilot CLI without a terminal. */
import type { RunHappening } from '@slipway/protocol'
import { COPILOT } from './copilot/acp.ts'
import { failureInAnswer, failureOf, quotaResetIn } from './copilot/failure.ts'
import { CopilotTools } from './copilot/tools.ts'
import { CopilotUsage } from './copilot/usage.ts'
import { happeningOf } from './parts/failures.ts'
import { literal, mapValues } from './mcp/literal.ts'
import { type ServersFile, withServers } from './mcp/with-servers.ts'
import type { Delta, Failure, Headless, HeadlessOptions, HeadlessProgram, Reading, Verdict } from './headless.ts'
import { acpPeople } from './acp/people.ts'
import { said } from './parts/happenings.ts'
import { sessionIdIn } from './parts/ids.ts'
import { bounded, fieldsIn, numberIn, objectOf, textIn, type Fields } from './parts/json.ts'
import { Repeats } from './parts/repeats.ts'
import { isWork } from './parts/work.ts'

/** Copilot keeps the servers of its own settings. */
export const COPILOT_SERVERS: ServersFile = {
  at: '--additional-mcp-config=@',
  field: 'mcpServers',
  formOf: (transport) => ({
    ...(transport.kind === 'stdio'
      ? {
          type: 'local',
          command: literal(transport.command),
          args: transport.args.map(literal),
          env: mapValues(transport.env, literal),
        }
      : { type: 'http', url: literal(transport.url), headers: mapValues(transport.headers, literal) }),
    tools: ['*'],
  }),
}

/** Names folders of skills, separated by commas. Those in the home come first. */
const SKILLS = 'COPILOT_SKILLS_DIRS'
const skillsIn = ({ skillsFolder, variables = {} }: HeadlessOptions): Record<string, string> => {
  if (skillsFolder === undefined) return {}
  const own = variables[SKILLS]
  return { [SKILLS]: `${own === undefined ? '' : `${own},`}${skillsFolder}/skills` }
}

/** Without `-p` Copilot reads its prompt from a standard input that is no terminal. */
const program = (options: HeadlessOptions): HeadlessProgram => {
  const { prompt, model, sessionId, resume, skips, servers } = options
  return withServers(
    {
      argv: [
        'copilot',
        '--output-format',
        'json',
        ...(skips ? ['--allow-all-tools'] : []),
        ...(model === null ? [] : ['--model', model]),
        ...(resume === null ? ['--session-id', sessionId] : ['--resume', resume]),
      ],
      env: skillsIn(options),
      stdin: Buffer.from(prompt),
    },
    COPILOT_SERVERS,
    servers,
  )
}

/** The events with a piece of a text, with the names of its id and of its text. */
const DELTAS: ReadonlyMap<unknown, readonly [id: string, text: string]> = new Map([
  ['assistant.message_delta', ['messageId', 'deltaContent']],
  ['assistant.reasoning_delta', ['reasoningId', 'deltaContent']],
  ['assistant.tool_call_delta', ['toolCallId', 'inputDelta']],
  ['tool.execution_partial_result', ['toolCallId', 'partialOutput']],
])
/** The first words of the lines that may stand between two of them. */
const ASIDE = /^\{"type":"(?:session|model)\./
/** The first words of a line that may have one. */
const MAY_BE_DELTA = /^\{"type":"(?:assistant\.\w+_delta|tool\.execution_partial_result)"/

/** The word in Copilot's notice of another attempt. */
const RETRY = /\bRetrying\b/
/** The first word of the lines with which Copilot gives up before it has a session. */
const FATAL = /^error: /i

/**
 * Reads one process. Each delta of an answer is one `text` event, and the `result` event holds the whole last answer.
 * What a sub-agent says is left out, because the call that started it returns it.
 */
class CopilotReading implements Reading {
  readonly #options: Pick<HeadlessOptions, 'sessionId' | 'resume'>
  readonly #tools = new CopilotTools()
  readonly #usage = new CopilotUsage()
  readonly #repeats = new Repeats()
  /** Whether the retry is told that comes next. */
  #isRetryTold = false
  #hasStarted = false
  #turns = 0
  /** Copilot names its session only at its end. */
  #sessionId: string | null = null
  #answer: string | null = null
  /** The message whose deltas came last. */
  #streamed: string | null = null
  #isOver = false
  #hasWorked = false
  #failure: Failure | null = null
  /** When the quota resets that a call of the model has met. */
  #quotaResetsAt: number | null = null

  constructor(options: Pick<HeadlessOptions, 'sessionId' | 'resume'>) {
    this.#options = options
  }

  line(text: string, now: number): readonly RunHappening[] {
    const event = objectOf(text)
    if (event === null) return this.errorLine(text, now)
    const happenings = this.#read(event, now)
    if (happenings.some(isWork)) this.#hasWorked = true
    return happenings
  }

  errorLine(text: string, now: number): readonly RunHappening[] {
    return FATAL.test(text) && !this.#isOver ? this.#failed(failureOf(text.replace(FATAL, ''), now)) : []
  }

  delta(line: string): Delta | 'aside' | null {
    if (ASIDE.test(line)) return 'aside'
    const event = MAY_BE_DELTA.test(line) ? objectOf(line) : null
    const [id, field] = DELTAS.get(event?.type) ?? []
    if (event === null || id === undefined || field === undefined) return null
    const data = fieldsIn(event.data)
    const text = textIn(data[field])
    if (text === null) return null
    const stream = `${String(event.type)} ${textIn(data[id]) ?? ''}`
    return { stream, text, with: (other) => JSON.stringify({ ...event, data: { ...data, [field]: other } }) }
  }

  verdict(): Verdict {
    const { resume, sessionId } = this.#options
    return {
      sessionId: this.#sessionId ?? (this.#hasStarted ? (resume ?? sessionId) : null),
      result: this.#answer,
      isOver: this.#isOver,
      hasWorked: this.#hasWorked,
      failure: this.#failure,
      usage: this.#usage.models,
      turns: this.#turns,
      costUsd: null,
    }
  }

  #read(event: Fields, now: number): readonly RunHappening[] {
    const data = fieldsIn(event.data)
    const isSub = textIn(event.agentId) !== null || textIn(data.parentToolCallId) !== null
    switch (event.type) {
      case 'user.message':
        return this.#started()
      case 'assistant.turn_start':
        if (!isSub) this.#turns += 1
        return this.#started()
      case 'assistant.message_delta':
        return isSub ? [] : this.#delta(data)
      case 'assistant.message':
        return isSub ? [] : this.#message(data, now)
      case 'assistant.reasoning':
        return isSub ? [] : said('thinking', data.content)
      case 'tool.execution_start':
        // After some errors Copilot goes on, with another model.
        if (!this.#isOver) this.#failure = null
        return this.#tools.started(data)
      case 'tool.execution_complete':
        return this.#tools.ended(data)
      case 'assistant.usage':
        this.#usage.add(data)
        return [{ type: 'usage', models: this.#usage.models }]
      case 'model.call_failure':
        this.#quotaResetsAt = quotaResetIn(data.quotaSnapshots, now)
        return []
      case 'model.call_start':
        this.#isRetryTold = false
        return []
      case 'assistant.turn_retry':
        return isSub ? [] : this.#retry(data)
      case 'session.info':
        // The others name files and settings.
        return RETRY.test(textIn(data.message) ?? '') && !this.#isRetryTold ? [status('retrying', data.message)] : []
      case 'session.warning':
        return [status('notice', data.message)]
      case 'session.error':
        return isSub ? [status('notice', data.message)] : this.#error(data, now)
      case 'abort':
        return [status('notice', 'Copilot was interrupted.')]
      case 'result':
        return this.#ended(event)
      default:
        return []
    }
  }

  #started(): readonly RunHappening[] {
    if (this.#hasStarted) return []
    this.#hasStarted = true
    return this.#options.resume === null
      ? [status('started', 'Copilot has started.')]
      : [status('resumed', 'Copilot has resumed its session.')]
  }

  #retry({ reason }: Fields): readonly RunHappening[] {
    this.#repeats.broken()
    this.#isRetryTold = true
    return [status('retrying', `A request to the model failed: ${textIn(reason) ?? 'no reason is named'}`)]
  }

  #delta(data: Fields): readonly RunHappening[] {
    const piece = textIn(data.deltaContent) ?? ''
    if (piece !== '') this.#streamed = textIn(data.messageId)
    return said('text', this.#repeats.next(piece))
  }

  #message(data: Fields, now: number): readonly RunHappening[] {
    const answer = textIn(data.content) ?? ''
    // A message that only calls tools.
    if (answer.trim() === '') return []
    this.#answer = bounded(answer)
    const isStreamed = this.#streamed !== null && this.#streamed === textIn(data.messageId)
    const texts = isStreamed ? [] : said('text', this.#repeats.next(answer))
    this.#repeats.complete()
    const failure = failureInAnswer(answer, now)
    if (failure !== null) return [...texts, ...this.#failed(failure)]
    this.#failure = null
    return texts
  }

  #error(data: Fields, now: number): readonly RunHappening[] {
    const failure = failureOf(textIn(data.message) ?? 'Copilot reported an error.', now, data)
    const isLimit = failure.reason === 'usage_limit'
    return this.#failed(isLimit ? { ...failure, resetsAt: failure.resetsAt ?? this.#quotaResetsAt } : failure)
  }

  /** Copilot may tell a failure by an event, and again as its answer. The event knows more. */
  #failed(failure: Failure): readonly RunHappening[] {
    if (this.#failure?.message === failure.message) return []
    this.#failure = failure
    return [happeningOf(failure)]
  }

  /** The result has no code for what failed, so it is only the end. */
  #ended(event: Fields): readonly RunHappening[] {
    const isFirst = !this.#isOver
    this.#isOver = true
    this.#sessionId = sessionIdIn(event.sessionId) ?? this.#sessionId
    if (!isFirst || this.#answer === null) return []
    return [
      { type: 'result', text: this.#answer, isError: this.#failure !== null || (numberIn(event.exitCode) ?? 0) !== 0 },
    ]
  }
}

const status = (state: 'started' | 'resumed' | 'retrying' | 'notice', message: unknown): RunHappening => ({
  type: 'status',
  status: state,
  message: bounded(textIn(message) ?? ''),
})

const read: Headless['read'] = (options) => new CopilotReading(options)

/** What SIGINT does to Copilot without a terminal is not known, so an interrupt only ends it. */
export const headless: Headless = {
  program,
  people: acpPeople(COPILOT, read, (options) =>
    withServers(
      {
        argv: ['copilot', '--acp', ...(options.model === null ? [] : ['--model', options.model])],
        env: skillsIn(options),
      },
      COPILOT_SERVERS,
      options.servers,
    ),
  ),
  read,
  inPieces: ['text'],
  answersInterrupt: false,
  limitsTurns: 'counted',
  takesServers: true,
  takesSkills: () => true,
}
