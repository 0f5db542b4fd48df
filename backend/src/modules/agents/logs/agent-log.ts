/**
 * The platform's lines in an agent's log: one for each change of state and each terminal. Readers need the right to see
 * the agent.
 */
import type { AgentEventKind, AgentState, LogEntry } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Log } from '../../../lib/log.ts'
import type { Board, Snapshot } from '../state/board.ts'
import type { AgentLogRepository } from './repository.ts'

/** Lines kept of each agent; the oldest are dropped. This is weeks of a busy agent, and 100 kB. */
export const EVENTS_KEPT = 500
/** Number of new lines of an agent after which old ones are pruned. */
const PRUNE_EVERY = 50
/** Shortest time between two lines about memory kills in one agent, in milliseconds. */
const MEMORY_KILL_EVERY_MS = 60_000
/**
 * Lines written at the same time, and lines that may wait. When the engine reconnects, every agent may have a line at
 * the same moment. User requests must not wait behind all of them. A line beyond the bound is dropped, and the drop is
 * logged.
 */
const WRITES_AT_ONCE = 2
const WRITES_WAITING = 100_000

/** A new line, as followers get it. */
export interface Recorded {
  readonly agentId: string
  readonly entry: LogEntry
}

interface Parts {
  readonly repository: AgentLogRepository
  readonly board: Pick<Board, 'get' | 'changed'>
  readonly clock: Clock
  readonly log: Log
  readonly recorded: Signal<Recorded>
}

export class AgentLog {
  /** Emits each line after it is stored. */
  readonly recorded: Signal<Recorded>
  readonly #parts: Parts
  /** The last state seen of each agent, so that an engine that reconnects adds no lines. */
  readonly #seen = new Map<string, string>()
  readonly #lastKill = new Map<string, number>()
  /** New lines since the last pruning. */
  readonly #unpruned = new Map<string, number>()
  /** The write in progress for each agent. Writes run one after the other to keep the lines in order. */
  readonly #writing = new Map<string, Promise<void>>()
  readonly #turns = new Semaphore(WRITES_AT_ONCE, WRITES_WAITING)

  constructor(parts: Parts) {
    this.#parts = parts
    this.recorded = parts.recorded
    parts.board.changed.on((agentId) => this.#stateChanged(agentId))
  }

  /** Stores a line in the background. If that fails, the failure is logged and the line is lost. */
  record(agentId: string, kind: AgentEventKind, text: string): void {
    this.#queue(agentId, () => this.#write(agentId, kind, text, this.#parts.clock.now()))
  }

  /** The engine reported a process in the agent's container that was killed because memory ran out. */
  memoryKill(agentId: string): void {
    const now = this.#parts.clock.now()
    if (now - (this.#lastKill.get(agentId) ?? Number.NEGATIVE_INFINITY) < MEMORY_KILL_EVERY_MS) return
    this.#lastKill.set(agentId, now)
    this.record(agentId, 'memory_kill', 'A process was ended because the agent’s memory ran out.')
  }

  /** The newest lines, oldest first. */
  async recent(agentId: string, limit: number): Promise<LogEntry[]> {
    const rows = await this.#parts.repository.newest(agentId, limit)
    return rows.map(({ at, kind, text }) => toEntry(at, kind as AgentEventKind, text)).reverse()
  }

  /** Call it when the agent is deleted; its stored lines go with its row. */
  forget(agentId: string): void {
    for (const kept of [this.#seen, this.#lastKill, this.#unpruned]) kept.delete(agentId)
  }

  /** Resolves when all lines so far are written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing.values())
  }

  #stateChanged(agentId: string): void {
    const snapshot = this.#parts.board.get(agentId)
    const line = lineOf(snapshot)
    if (!line) return
    const seen = `${line.kind} ${line.text}`
    const before = this.#seen.get(agentId)
    if (before === seen) return
    this.#seen.set(agentId, seen)
    if (before !== undefined || isPassing(line.kind)) return this.record(agentId, line.kind, line.text)
    // The first state after the server's start gets a line only if the agent ended meanwhile, and only once.
    if (!snapshot.reason) return
    this.#queue(agentId, async () => {
      const [last] = await this.recent(agentId, 1)
      if (last?.kind !== line.kind || last.text !== line.text)
        await this.#write(agentId, line.kind, line.text, this.#parts.clock.now())
    })
  }

  async #write(agentId: string, kind: AgentEventKind, text: string, now: number): Promise<void> {
    const at = new Date(now)
    // The agent may have been deleted meanwhile.
    if (!(await this.#parts.repository.add(agentId, { at, kind, text }))) return
    this.recorded.emit({ agentId, entry: toEntry(at, kind, text) })
    const unpruned = this.#unpruned.get(agentId) ?? PRUNE_EVERY
    this.#unpruned.set(agentId, unpruned >= PRUNE_EVERY ? 0 : unpruned + 1)
    if (unpruned >= PRUNE_EVERY) await this.#parts.repository.prune(agentId, EVENTS_KEPT)
  }

  #queue(agentId: string, work: () => Promise<void>): void {
    const done = (this.#writing.get(agentId) ?? Promise.resolve())
      .then(() => this.#turns.run(work))
      .catch((error: unknown) => {
        this.#parts.log.error({ agentId, err: error }, 'what happened to an agent could not be kept')
      })
      .finally(() => {
        if (this.#writing.get(agentId) === done) this.#writing.delete(agentId)
      })
    this.#writing.set(agentId, done)
  }
}

/** The platform's clock counts milliseconds; nine digits make its lines sort among the container's. */
const toEntry = (at: Date, kind: AgentEventKind, text: string): LogEntry => ({
  at: `${at.toISOString().slice(0, -1)}000000Z`,
  source: 'platform',
  kind,
  text,
})

const isPassing = (kind: AgentEventKind): boolean => kind === 'creating' || kind === 'starting' || kind === 'stopping'

const LINES: Partial<Record<AgentState, readonly [AgentEventKind, string]>> = {
  creating: ['creating', 'Creating container.'],
  starting: ['starting', 'Starting.'],
  running: ['started', 'Started.'],
  stopping: ['stopping', 'Stopping.'],
  stopped: ['stopped', 'Stopped.'],
  failed: ['failed', 'Failed.'],
}

/** Null for changes that get no line: an engine that does not answer, and the agent's own deletion. */
const lineOf = ({ state, reason }: Snapshot): { kind: AgentEventKind; text: string } | null => {
  const [kind, text] = LINES[state] ?? []
  if (!kind || !text || reason?.code === 'engine_unavailable') return null
  return { kind, text: reason?.message ?? text }
}
