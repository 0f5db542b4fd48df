/** What is written to a CLI that speaks ACP, in which order. */
import type { Message, ReadOptions } from '../headless.ts'
import { sessionIdIn } from '../parts/ids.ts'
import type { Fields } from '../parts/json.ts'
import { errorLine, METHOD_NOT_FOUND, notificationLine, requestLine, resultLine, type RpcId } from '../parts/rpc.ts'
import type { AcpCli } from './cli.ts'

const PROTOCOL_VERSION = 1
/** Most answers to requests of one process that are kept. A later server writes them again, which the CLI ignores. */
const REPLIES_MAX = 100
/** OpenCode tells so what it has written, also to a client that offers no files. */
const WRITE = 'fs/write_text_file'
/** What these CLIs would take for a command of their own, such as `/allow-all on`. */
const COMMAND = /^\s*\//

type Step = 'initialize' | 'session' | 'setting' | 'prompt'

/** A request of the platform. The next one follows its answer. */
interface Request {
  readonly step: Step
  readonly id: string
  readonly method: string
  readonly params: Fields
  readonly once?: true
}

export const cancelLine = (sessionId: string): string => notificationLine('session/cancel', { sessionId })

/** A prompt in which no CLI finds a command of its own. */
const promptText = (prompt: string): string => (COMMAND.test(prompt) ? `Task:\n${prompt}` : prompt)

export class AcpMessages {
  readonly #cli: AcpCli
  readonly #options: ReadOptions
  /** The requests that have no answer yet. Only the first one waits. */
  #requests: readonly Request[]
  #replies: readonly Message[] = []
  #waiting: readonly Message[]
  #session: string | null = null
  #isPrompted = false

  constructor(cli: AcpCli, options: ReadOptions) {
    this.#cli = cli
    this.#options = options
    const { folder: cwd, resume } = options
    const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false }
    const clientInfo = { name: 'slipway', version: '1' }
    // Servers are in the settings, as without people.
    const session = { cwd, mcpServers: [] }
    this.#requests = [
      request('initialize', 'initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities, clientInfo }),
      resume === null
        ? request('session', 'session/new', session)
        : request('session', this.#fork ?? 'session/load', { ...session, sessionId: resume }),
    ]
    this.#waiting = this.#listed()
  }

  /** The method with which this process makes a session of its own from the one that it continues; null: it does not. */
  get #fork(): string | null {
    return (this.#options.forks === true && this.#cli.forks) || null
  }

  /** The CLI's own session; null before it is known to exist. */
  get session(): string | null {
    return this.#session
  }

  get isResumed(): boolean {
    return this.#options.resume !== null
  }

  /** Whether the CLI is asked for the session that it is to continue, and has not answered. */
  get isContinuing(): boolean {
    return this.isResumed && this.#requests[0]?.step === 'session'
  }

  get isPrompted(): boolean {
    return this.#isPrompted
  }

  /** As in `Reading.messages`. */
  get waiting(): readonly Message[] {
    return this.#waiting
  }

  /** The id of a request that waits for its answer. */
  isAwaited(id: RpcId): boolean {
    return this.#requests[0]?.id === id
  }

  /** Reads an answer. Answers which request it is for; null for any other. */
  answered(id: RpcId, result: Fields): Step | 'no session' | null {
    const [request] = this.#requests
    if (!request || request.id !== id) return null
    this.#requests = this.#requests.slice(1)
    if (request.step === 'session') {
      const { resume } = this.#options
      this.#session = this.#fork === null && resume !== null ? resume : sessionIdIn(result.sessionId)
      if (this.#session === null) return 'no session'
      this.#requests = turnIn(this.#session, this.#cli, this.#options.prompt ?? '')
    }
    this.#waiting = this.#listed()
    return request.step
  }

  /** Answers a request that no user has to answer. */
  answer(id: RpcId, method: string): void {
    this.reply(id, method === WRITE ? resultLine(id, {}) : errorLine(id, METHOD_NOT_FOUND, 'This is not offered.'))
  }

  reply(id: RpcId, line: string): void {
    const reply = { id: `reply ${JSON.stringify(id)}`, line }
    this.#replies = [...this.#replies.filter((one) => one.id !== reply.id), reply].slice(-REPLIES_MAX)
    this.#waiting = this.#listed()
  }

  /** A message with `once` is being sent. */
  sent(id: string): void {
    if (!this.isAwaited(id)) return
    this.#isPrompted = true
    this.#waiting = this.#listed()
  }

  /** The turn is over, or cannot begin. */
  over(): void {
    this.#requests = []
    this.#replies = []
    this.#waiting = []
  }

  #listed(): readonly Message[] {
    const [next] = this.#requests
    if (!next || (next.once && this.#isPrompted)) return this.#replies
    const { id, method, params, once } = next
    return [...this.#replies, { id, line: requestLine(id, method, params), ...(once && { once }) }]
  }
}

const request = (step: Step, method: string, params: Fields, name: string = step): Request => ({
  step,
  id: `slipway-${name}`,
  method,
  params,
})

/** The mode and the options, which a session that is loaded may bring from elsewhere, and then the prompt. */
const turnIn = (sessionId: string, { mode, options = {} }: AcpCli, prompt: string): Request[] => [
  request('setting', 'session/set_mode', { sessionId, modeId: mode }, 'mode'),
  ...Object.entries(options).map(([configId, value]) =>
    request('setting', 'session/set_config_option', { sessionId, configId, value }, configId),
  ),
  {
    ...request('prompt', 'session/prompt', { sessionId, prompt: [{ type: 'text', text: promptText(prompt) }] }),
    once: true,
  },
]
