/** Follows Docker's event stream as long as the backend runs. */
import { createInterface } from 'node:readline'
import type Docker from 'dockerode'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { RuntimeEvent } from '../../port.ts'
import type { Names } from '../container/profile.ts'

/** Time between two tries to reach the engine, in milliseconds. A change has to show within 2 s. */
const RETRY_MS = 500
/** How the engine is monitored, in milliseconds. */
export interface Heartbeat {
  /** Time between two pings. */
  readonly everyMs: number
  /** Timeout of a ping. */
  readonly timeoutMs: number
}
/**
 * A busy engine may take many seconds to respond. A hanging one is detected, and calls fail, after both times together.
 */
export const HEARTBEAT: Heartbeat = { everyMs: 10_000, timeoutMs: 20_000 }

/** Longest line of the stream, in bytes. Labels of foreign containers may be long. */
const MAX_LINE = 1_048_576

interface DockerEvent {
  Type?: string
  Action?: string
  Actor?: { ID?: string; Attributes?: Record<string, string> }
}

/** Null for an incomplete line, which is the last one if the engine goes away. */
const parse = (line: string): DockerEvent | null => {
  try {
    return JSON.parse(line) as DockerEvent | null
  } catch {
    return null
  }
}

/** Converts one line; null: the event does not concern agents. */
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
  /** A client that limits only the wait for the beginning of a response. */
  readonly docker: Docker
  readonly names: Names
  readonly heartbeat: Heartbeat
  readonly emit: (event: RuntimeEvent) => void
  /** The engine refuses connections or does not respond. Until `connected`, no other request needs to be tried. */
  readonly onSilent: () => void
}

/** Follows the events, and reconnects by itself. */
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

  /** Resolves after the first try, successful or not. */
  async start(): Promise<void> {
    if (this.#stopped.signal.aborted) return
    const { docker, names, emit, onSilent } = this.#parts
    try {
      const stream = (await docker.getEvents({
        abortSignal: this.#stopped.signal,
        // The engine answers before it begins to listen, and repeats what came in between only with a time, in seconds.
        since: Date.now() / SECOND_MS,
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
      // The lines pass on the stream's errors, and an unhandled error would end the backend.
      lines.on('error', lost)
      stream.on('error', lost).once('close', lost).once('end', lost)
      this.#stream = stream
      this.#watchOver(stream)
      this.connected = true
      emit({ type: 'connected' })
    } catch {
      // The engine is away. `connected` says so, and the error adds nothing.
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

  /** A hanging engine closes no connection, so it is pinged. If a ping fails, the stream is closed. */
  #watchOver(stream: { destroy(): void }): void {
    clearInterval(this.#heartbeat)
    const { docker, heartbeat, onSilent } = this.#parts
    this.#heartbeat = setInterval(() => {
      // The client's timeout makes a ping fail that gets no response.
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
