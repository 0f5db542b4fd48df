/** Docker's event stream, followed for as long as the backend runs. */
import { createInterface } from 'node:readline'
import type Docker from 'dockerode'
import type { RuntimeEvent } from '../../port.ts'
import type { Names } from '../container/profile.ts'

/** Pause between tries while the engine does not answer, in milliseconds: within the 2 s in which a change must show. */
const RETRY_MS = 500
/** How the engine is watched over, in milliseconds. */
export interface Heartbeat {
  /** Between two looks at whether it still answers. */
  readonly everyMs: number
  /** How long an answer may take. */
  readonly timeoutMs: number
}
/** It may be busy: an answer of many seconds is no hang. Whatever hangs shows, and fails, after both together. */
export const HEARTBEAT: Heartbeat = { everyMs: 10_000, timeoutMs: 20_000 }

/** Longest line taken from the stream; labels of foreign containers may be long. */
const MAX_LINE = 1_048_576

interface DockerEvent {
  Type?: string
  Action?: string
  Actor?: { ID?: string; Attributes?: Record<string, string> }
}

/** Null for a line that is cut off, as the last one is when the engine goes away in the middle of it. */
const parse = (line: string): DockerEvent | null => {
  try {
    return JSON.parse(line) as DockerEvent | null
  } catch {
    return null
  }
}

/** One line of Docker's as an event of ours; null for what does not concern us. */
export const toEvent = (names: Names, line: string): RuntimeEvent | null => {
  const { Action, Actor } = parse(line) ?? {}
  const attributes = Actor?.Attributes ?? {}
  const containerId = Actor?.ID ?? ''
  const agentId = attributes[names.label.agent] ?? ''
  const exitCode = Number(attributes.exitCode ?? -1)
  switch (Action) {
    case 'start':
      return { type: 'started', agentId, containerId }
    case 'oom':
      return { type: 'oom', agentId, containerId }
    case 'die':
      return { type: 'died', agentId, containerId, exitCode }
    case 'destroy':
      return { type: 'removed', agentId, containerId }
    case 'exec_die':
      return { type: 'exec_died', execId: attributes.execID ?? '', exitCode }
    default:
      return null
  }
}

interface Parts {
  /** With a bound on how long the engine may take to begin an answer, and no other. */
  readonly docker: Docker
  readonly names: Names
  readonly heartbeat: Heartbeat
  readonly emit: (event: RuntimeEvent) => void
  /** The engine takes no connections, or takes them and does not answer: until `connected`, nothing else needs to be tried. */
  readonly onSilent: () => void
}

/** Follows the events and reconnects by itself. */
export class EventStream {
  readonly #parts: Parts
  readonly #stopped = new AbortController()
  #retry: NodeJS.Timeout | undefined
  #heartbeat: NodeJS.Timeout | undefined
  #stream: { destroy(): void } | undefined
  connected = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Resolves once the first try is over, whichever way it went. */
  async start(): Promise<void> {
    if (this.#stopped.signal.aborted) return
    const { docker, names, emit, onSilent } = this.#parts
    try {
      const stream = (await docker.getEvents({
        abortSignal: this.#stopped.signal,
        filters: {
          type: ['container'],
          label: [`${names.label.managed}=true`],
          event: ['start', 'oom', 'die', 'destroy', 'exec_die'],
        },
      })) as NodeJS.ReadableStream & { destroy(): void }
      const lines = createInterface({ input: stream, crlfDelay: Infinity })
      lines.on('line', (line) => {
        if (line.length === 0 || line.length > MAX_LINE) return
        const event = toEvent(names, line)
        if (event) emit(event)
      })
      const lost = (): void => this.#lost()
      // The lines pass on what fails below them, and a failure that nobody hears would end the whole backend.
      lines.on('error', lost)
      stream.on('error', lost).once('close', lost).once('end', lost)
      this.#stream = stream
      this.#watchOver(stream)
      this.connected = true
      emit({ type: 'connected' })
    } catch {
      // The engine is away; state is told apart by `connected`, and what it said is of no use to anybody.
      onSilent()
      this.#tryAgain()
    }
  }

  stop(): void {
    this.#stopped.abort()
    clearTimeout(this.#retry)
    clearInterval(this.#heartbeat)
    this.#stream?.destroy()
    this.connected = false
  }

  /** An engine that hangs closes nothing: it is asked now and then, and counts as gone when it does not answer. */
  #watchOver(stream: { destroy(): void }): void {
    clearInterval(this.#heartbeat)
    const { docker, heartbeat, onSilent } = this.#parts
    this.#heartbeat = setInterval(() => {
      // Unanswered for as long as it may take, the request fails by itself.
      docker.ping().catch(() => {
        if (this.#stream !== stream) return
        onSilent()
        stream.destroy()
      })
    }, heartbeat.everyMs)
    this.#heartbeat.unref()
  }

  #lost(): void {
    if (!this.connected) return
    this.connected = false
    clearInterval(this.#heartbeat)
    this.#parts.emit({ type: 'disconnected' })
    this.#tryAgain()
  }

  #tryAgain(): void {
    if (this.#stopped.signal.aborted) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.start(), RETRY_MS)
  }
}
