/** What happened to each agent, kept for those who may see it: a line for each change of state and each terminal. */
import type { AgentEventKind, AgentState, LogEntry } from '@slipway/protocol'
import type { Clock } from '../../../lib/clock.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { Log } from '../../../lib/log.ts'
import type { Board, Snapshot } from '../state/board.ts'
import type { AgentLogRepository } from './repository.ts'

/** Lines kept of each agent; the oldest go. Weeks of a busy one, and 100 kB. */
export const EVENTS_KEPT = 500
/** After so many new lines of an agent the old ones are looked for. */
const PRUNE_EVERY = 50
/** Processes that are ended for want of memory one after the other are told once in so long, in milliseconds. */
const MEMORY_KILL_EVERY_MS = 60_000
/**
 * Lines that are written at once, and that may wait. When the engine comes, every agent may have a line at the same moment;
 * people who ask for something then must not wait behind all of them. What does not fit is logged and gone.
 */
const WRITES_AT_ONCE = 2
const WRITES_WAITING = 100_000

/** What changed, as it is told to those who follow. */
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
  /** Tells each line when it is kept. */
  readonly recorded: Signal<Recorded>
  readonly #parts: Parts
  /** What was last seen of each agent, so that an engine that went and came back is no news of all of them. */
  readonly #seen = new Map<string, string>()
  readonly #lastKill = new Map<string, number>()
  /** New lines since the old ones were looked for. */
  readonly #unpruned = new Map<string, number>()
  /** One write after the other for each agent, so that the lines stand in their order. */
  readonly #writing = new Map<string, Promise<void>>()
  readonly #turns = new Semaphore(WRITES_AT_ONCE, WRITES_WAITING)

  constructor(parts: Parts) {
    this.#parts = parts
    this.recorded = parts.recorded
    parts.board.changed.on((agentId) => this.#stateChanged(agentId))
  }

  /** Keeps a line. Nobody waits for it: what cannot be written is logged and gone. */
  record(agentId: string, kind: AgentEventKind, text: string): void {
    this.#queue(agentId, () => this.#write(agentId, kind, text, this.#parts.clock.now()))
  }

  /** The engine told that something in the agent's container was ended for want of memory. */
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

  /** The agent is deleted, and its lines with it. */
  forget(agentId: string): void {
    for (const kept of [this.#seen, this.#lastKill, this.#unpruned]) kept.delete(agentId)
  }

  /** Resolves when everything so far is written. */
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
    // The first that this server sees of the agent is news only where it ended meanwhile, and once.
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

/** The platform's own clock has no more than milliseconds; nine digits make its lines sort among the container's. */
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

/** Null for what is no news of this agent: an engine that does not answer, and the agent's own deletion. */
const lineOf = ({ state, reason }: Snapshot): { kind: AgentEventKind; text: string } | null => {
  const [kind, text] = LINES[state] ?? []
  if (!kind || !text || reason?.code === 'engine_unavailable') return null
  return { kind, text: reason?.message ?? text }
}
