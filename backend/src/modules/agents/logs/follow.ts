/** Follows an agent's log: its container's output and the platform's events in one stream. */
import { LOG_HEARTBEAT_MS, type LogEntry } from '@slipway/protocol'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { ContainerRuntime, LogLine } from '../../../runtime/port.ts'
import type { Board } from '../state/board.ts'
import type { AgentLog } from './agent-log.ts'

/** Events that wait for a slow reader; the oldest are dropped. */
const EVENTS_WAITING = 1000
/**
 * Delay before a running container whose log ended is followed again, in milliseconds. The report of its stop may still
 * be on its way.
 */
const AGAIN_MS = 1000

export interface LogSources {
  readonly runtime: Pick<ContainerRuntime, 'logs' | 'followLogs'>
  readonly board: Pick<Board, 'get' | 'changed'>
  readonly agentLog: Pick<AgentLog, 'recent' | 'recorded'>
}

export interface FollowOptions {
  readonly agentId: string
  /** Number of lines from the end of the log to begin with. */
  readonly tail: number
  /** Only lines newer than this `at`; null: the whole tail. */
  readonly since: string | null
  readonly signal: AbortSignal
  readonly heartbeatMs?: number
}

type Chunk = IteratorResult<LogLine[], void>

/**
 * Yields the end of the log first (perhaps empty), then new lines until `signal` is aborted. An empty list is a
 * heartbeat. It continues after restarts of the container. A slow reader blocks the engine's stream, so no lines pile
 * up in memory.
 */
export async function* followLog(sources: LogSources, options: FollowOptions): AsyncGenerator<LogEntry[], void> {
  const { agentLog, board, runtime } = sources
  const { agentId, since, heartbeatMs = LOG_HEARTBEAT_MS } = options
  const over = new AbortController()
  const signal = AbortSignal.any([options.signal, over.signal])
  const isOver = (): boolean => signal.aborted
  const events: LogEntry[] = []
  const bell = new Bell()
  let mayOpen = true
  const subscriptions = [
    agentLog.recorded.on((recorded) => {
      if (recorded.agentId !== agentId) return
      events.push(recorded.entry)
      if (events.length > EVENTS_WAITING) events.shift()
      bell.ring()
    }),
    board.changed.on((changed) => {
      if (changed !== agentId) return
      mayOpen = true
      bell.ring()
    }),
  ]
  const silence = new Silence()
  const heartbeat = setInterval(() => {
    silence.beat()
    bell.ring()
  }, heartbeatMs)
  let again: NodeJS.Timeout | undefined
  signal.addEventListener('abort', () => bell.ring())
  try {
    const past = await readPast(sources, options)
    let last = past.lastLine ?? since
    // An event recorded since the subscription may already be among the past lines.
    for (let at = events.length - 1; at >= 0; at--)
      if (past.entries.some((entry) => isSame(entry, events[at]))) events.splice(at, 1)
    yield past.entries

    let output: Output | null = null
    let rang: Promise<'rang'> | null = null
    while (!isOver()) {
      const { runningId } = board.get(agentId)
      if (!output && mayOpen && runningId !== null) {
        mayOpen = false
        output = new Output(runtime, runningId, last, signal)
      }
      rang ??= bell.rang()
      const chunk = await Promise.race(output ? [rang, output.next()] : [rang])
      if (isOver()) return
      if (chunk === 'rang') {
        rang = null
        yield events.splice(0)
        if (!output || !silence.isLong() || !(await output.isStuck(last))) continue
      } else if (chunk && !chunk.done) {
        silence.broken()
        output?.taken()
        last = chunk.value.at(-1)?.at ?? last
        yield chunk.value.map(toEntry)
        continue
      }
      output?.close()
      output = null
      clearTimeout(again)
      again = setTimeout(() => {
        mayOpen = true
        bell.ring()
      }, AGAIN_MS)
    }
  } finally {
    over.abort()
    clearInterval(heartbeat)
    clearTimeout(again)
    for (const unsubscribe of subscriptions) unsubscribe()
  }
}

/** The output of one run, as it arrives. */
class Output {
  readonly #runtime: LogSources['runtime']
  readonly #containerId: string
  readonly #over = new AbortController()
  readonly #lines: AsyncIterator<LogLine[], void>
  #next: Promise<Chunk | null> | null = null

  constructor(runtime: LogSources['runtime'], containerId: string, since: string | null, signal: AbortSignal) {
    this.#runtime = runtime
    this.#containerId = containerId
    const both = AbortSignal.any([signal, this.#over.signal])
    this.#lines = iterate(runtime.followLogs(containerId, { since, signal: both }))
  }

  /** The same chunk until {@link taken} is called; null if the engine failed. */
  next(): Promise<Chunk | null> {
    return (this.#next ??= this.#lines.next().catch(() => null))
  }

  taken(): void {
    this.#next = null
  }

  /**
   * Whether the log has lines after `last` that do not arrive. Docker 20.10 stops sending for good if a log is rotated
   * before a slow reader has caught up.
   */
  async isStuck(last: string | null): Promise<boolean> {
    const newest = (await this.#runtime.logs(this.#containerId, 1).catch(unlessEngine)).at(-1)
    return newest !== undefined && (last === null || newest.at > last)
  }

  close(): void {
    this.#over.abort()
  }
}

const iterate = (lines: AsyncIterable<LogLine[]>): AsyncIterator<LogLine[], void> =>
  lines[Symbol.asyncIterator]() as AsyncIterator<LogLine[], void>

/** The end of the log, merged from both sources. */
export const readPast = async (
  { runtime, board, agentLog }: LogSources,
  { agentId, tail, since }: Pick<FollowOptions, 'agentId' | 'tail' | 'since'>,
): Promise<{ entries: LogEntry[]; lastLine: string | null }> => {
  const { container } = board.get(agentId)
  const [events, lines] = await Promise.all([
    agentLog.recent(agentId, tail),
    container ? runtime.logs(container.id, tail).catch(unlessEngine) : [],
  ])
  const entries = [...events, ...lines.map(toEntry)]
    .filter(({ at }) => since === null || at > since)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
    .slice(-tail)
  return { entries, lastLine: lines.at(-1)?.at ?? null }
}

/** If the engine is away, the platform's lines are still shown. */
const unlessEngine = (error: unknown): LogLine[] => {
  if (error instanceof RuntimeError) return []
  throw error
}

const toEntry = ({ at, stream, text }: LogLine): LogEntry => ({ at, source: stream, text })

const isSame = (a: LogEntry, b: LogEntry | undefined): boolean => a.at === b?.at && a.text === b.text

/** How long no line arrived, in heartbeats. */
class Silence {
  #beats = 0

  beat(): void {
    this.#beats += 1
  }

  broken(): void {
    this.#beats = 0
  }

  /** Whether a whole heartbeat passed in silence; if so, the count restarts. */
  isLong(): boolean {
    if (this.#beats < 2) return false
    this.#beats = 0
    return true
  }
}

/** Wakes the current waiter, or the next one. */
class Bell {
  #deferred = Promise.withResolvers<'rang'>()

  ring(): void {
    this.#deferred.resolve('rang')
  }

  /** Resolves at the next ring, or at once after a ring without a waiter. */
  async rang(): Promise<'rang'> {
    const { promise } = this.#deferred
    await promise
    if (this.#deferred.promise === promise) this.#deferred = Promise.withResolvers()
    return 'rang'
  }
}
