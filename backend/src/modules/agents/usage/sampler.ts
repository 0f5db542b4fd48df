/**
 * Looks at what running agents use: those that somebody looks at every few seconds, the others one after the other at a
 * pace that leaves the machine alone, however many there are.
 */
import type { AgentStats, AgentStatsHistory, StatsSpan } from '@slipway/protocol'
import { type Clock, SECOND_MS } from '../../../lib/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Board } from '../state/board.ts'
import { COARSE_MS, FINE_MS, UsageHistory } from './history.ts'

/** Agents whose figures are kept, 60 kB each when full; beyond it, those that were looked at longest ago go. */
export const HISTORIES_KEPT = 1000
/** An agent whose figures were asked for counts as looked at for so long, in milliseconds: a page asks more often. */
const LOOKED_AT_MS = 3 * FINE_MS
/** Agents that are looked at and measured side by side. */
const LOOKS_AT_ONCE = 4
/** After a look at one that nobody looks at, the rest in multiples of the time it took: a twentieth of the time at most. */
const REST_FACTOR = 19
/** Shortest rest, in milliseconds. */
const REST_MS = 50
/** Between two looks at what is due, in milliseconds. */
const TICK_MS = SECOND_MS
/** Between the two looks that it takes to say what a container uses now, in milliseconds. */
const TWO_LOOKS_MS = 500

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'usage'>
  readonly board: Pick<Board, 'get' | 'running' | 'changed'>
  readonly clock: Clock
  readonly log: Log
}

interface Watched {
  readonly history: UsageHistory
  /** When somebody asked last, in milliseconds since 1970. */
  askedAt: number
  /** When it was measured last, or that failed. */
  triedAt: number
  /** The look that is under way. */
  under: Promise<void> | null
}

export class UsageSampler {
  readonly #parts: Parts
  readonly #watched = new Map<string, Watched>()
  readonly #stopped = new AbortController()
  /** Whether the round over those that nobody looks at is under way. */
  #around = false

  constructor(parts: Parts) {
    this.#parts = parts
    const { board } = parts
    const unsubscribe = board.changed.on((agentId) => {
      if (board.get(agentId).runningId === null) this.#watched.get(agentId)?.history.ended()
    })
    this.#stopped.signal.addEventListener('abort', () => unsubscribe())
  }

  /** Agents whose figures are kept now. */
  get size(): number {
    return this.#watched.size
  }

  start(): void {
    const timer = setInterval(() => this.tick(), TICK_MS)
    timer.unref()
    this.#stopped.signal.addEventListener('abort', () => clearInterval(timer))
  }

  stop(): void {
    this.#stopped.abort()
  }

  forget(agentId: string): void {
    this.#watched.delete(agentId)
  }

  /** What it used over the last `span` minutes. Asking counts as looking. */
  async history(agentId: string, span: StatsSpan): Promise<AgentStatsHistory> {
    const watched = this.#asked(agentId)
    const { runningId } = this.#parts.board.get(agentId)
    // Whoever comes finds the present, and not a minute ago; and the past also where the present cannot be had.
    if (runningId !== null && this.#isDue(watched, FINE_MS))
      await this.#look(watched, runningId).catch((error: unknown) => this.#failed(agentId, error))
    return watched.history.over(span, this.#parts.clock.now())
  }

  /** What it uses now. Fails as the runtime does. */
  async stats(agentId: string, containerId: string): Promise<AgentStats> {
    const watched = this.#asked(agentId)
    const known = watched.history.stats
    if (known && !this.#isDue(watched, FINE_MS)) return known
    await this.#look(watched, containerId)
    const seen = watched.history.stats
    if (seen) return seen
    // The first look at a run tells what it has used so far; how much that is a second, only another one does.
    await pause(TWO_LOOKS_MS)
    await this.#look(watched, containerId)
    const { stats } = watched.history
    if (stats) return stats
    throw new RuntimeError('engine_error', 'two looks at a container gave no figures')
  }

  /** Looks at what is due. */
  tick(): void {
    if (this.#stopped.signal.aborted) return
    const { board, clock } = this.#parts
    const running = board.running()
    const asked = running.flatMap(({ agentId, containerId }) => {
      const watched = this.#watched.get(agentId)
      return watched && clock.now() - watched.askedAt < LOOKED_AT_MS ? [{ agentId, containerId, watched }] : []
    })
    const under = asked.filter(({ watched }) => watched.under !== null).length
    const due = asked.filter(({ watched }) => watched.under === null && this.#isDue(watched, FINE_MS))
    for (const { agentId, containerId, watched } of due.slice(0, Math.max(0, LOOKS_AT_ONCE - under)))
      this.#look(watched, containerId).catch((error: unknown) => this.#failed(agentId, error))
    if (!this.#around) void this.#lookAround(running.map(({ agentId }) => agentId))
  }

  /** One by one at those that are due, with rests in between. */
  async #lookAround(agentIds: readonly string[]): Promise<void> {
    this.#around = true
    for (const agentId of agentIds) {
      const { runningId } = this.#parts.board.get(agentId)
      if (runningId === null || this.#stopped.signal.aborted) continue
      const watched = this.#of(agentId)
      if (watched.under !== null || !this.#isDue(watched, COARSE_MS)) continue
      const from = performance.now()
      await this.#look(watched, runningId).catch((error: unknown) => this.#failed(agentId, error))
      const rest = Math.max(REST_MS, (performance.now() - from) * REST_FACTOR)
      await pause(rest)
    }
    this.#around = false
  }

  #look(watched: Watched, containerId: string): Promise<void> {
    const { runtime, clock } = this.#parts
    watched.under ??= runtime
      .usage(containerId)
      .then((usage) => watched.history.add(clock.now(), containerId, usage))
      .finally(() => {
        watched.triedAt = clock.now()
        watched.under = null
      })
    return watched.under
  }

  #isDue(watched: Watched, everyMs: number): boolean {
    return this.#parts.clock.now() - watched.triedAt >= everyMs
  }

  #asked(agentId: string): Watched {
    const watched = this.#of(agentId)
    watched.askedAt = this.#parts.clock.now()
    return watched
  }

  #of(agentId: string): Watched {
    const known = this.#watched.get(agentId)
    if (known) return known
    if (this.#watched.size >= HISTORIES_KEPT) {
      const oldest = [...this.#watched].reduce((a, b) => (a[1].triedAt <= b[1].triedAt ? a : b))
      this.#watched.delete(oldest[0])
    }
    const never = Number.NEGATIVE_INFINITY
    const watched: Watched = { history: new UsageHistory(), askedAt: never, triedAt: never, under: null }
    this.#watched.set(agentId, watched)
    return watched
  }

  /** Stopped at this very moment, or the engine went away: either is told elsewhere. */
  #failed(agentId: string, error: unknown): void {
    this.#parts.log.debug({ agentId, err: error }, 'what an agent uses could not be measured')
  }
}

/** Keeps no process alive for the sake of a figure. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
