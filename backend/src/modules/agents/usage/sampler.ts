/**
 * Samples what running agents use. Agents that users ask for are sampled every few seconds. All others take turns, at a
 * pace that spares the machine for any number of agents.
 */
import type { AgentStats, AgentStatsHistory, StatsSpan } from '@slipway/protocol'
import { type Clock, SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { Board } from '../state/board.ts'
import { COARSE_MS, FINE_MS, UsageHistory } from './history.ts'

/** Agents whose figures are kept, 60 kB each when full. Beyond this number the one sampled longest ago is dropped. */
export const HISTORIES_KEPT = 1000
/** How long an agent counts as asked for after a request, in milliseconds. An open page asks more often. */
const LOOKED_AT_MS = 3 * FINE_MS
/** Agents that users ask for and that are sampled at the same time. */
const LOOKS_AT_ONCE = 4
/**
 * Pause after the sample of any other agent, in multiples of the sample's time. Sampling thus takes at most a twentieth
 * of the time.
 */
const REST_FACTOR = 19
/** Shortest pause, in milliseconds. */
const REST_MS = 50
/** Time between two checks for due samples, in milliseconds. */
const TICK_MS = SECOND_MS
/** Time between the two samples that give a container's current use, in milliseconds. */
const TWO_LOOKS_MS = 500

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'usage'>
  readonly board: Pick<Board, 'get' | 'running' | 'changed'>
  readonly clock: Clock
  readonly log: Log
}

interface Watched {
  readonly history: UsageHistory
  /** Time of the last request for its figures, in milliseconds since 1970. */
  askedAt: number
  /** Time of the last sample, successful or not. */
  triedAt: number
  /** The sample in progress. */
  under: Promise<void> | null
}

export class UsageSampler {
  readonly #parts: Parts
  readonly #watched = new Map<string, Watched>()
  readonly #stopped = new AbortController()
  /** Whether the round over the other agents is in progress. */
  #around = false

  constructor(parts: Parts) {
    this.#parts = parts
    const { board } = parts
    const unsubscribe = board.changed.on((agentId) => {
      if (board.get(agentId).runningId === null) this.#watched.get(agentId)?.history.ended()
    })
    this.#stopped.signal.addEventListener('abort', () => unsubscribe())
  }

  /** Number of agents whose figures are kept. */
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

  /** What the agent used over the last `span` minutes. The call counts as asking for it. */
  async history(agentId: string, span: StatsSpan): Promise<AgentStatsHistory> {
    const watched = this.#asked(agentId)
    const { runningId } = this.#parts.board.get(agentId)
    // The newest point must be current, not a minute old. If sampling fails, the past is answered all the same.
    if (runningId !== null && this.#isDue(watched, FINE_MS))
      await this.#look(watched, runningId).catch((error: unknown) => this.#failed(agentId, error))
    return watched.history.over(span, this.#parts.clock.now())
  }

  /** What the agent uses now. Fails like the runtime. */
  async stats(agentId: string, containerId: string): Promise<AgentStats> {
    const watched = this.#asked(agentId)
    const known = watched.history.stats
    if (known && !this.#isDue(watched, FINE_MS)) return known
    await this.#look(watched, containerId)
    const seen = watched.history.stats
    if (seen) return seen
    // The first sample of a run holds only totals; a rate needs a second one.
    await pause(TWO_LOOKS_MS)
    await this.#look(watched, containerId)
    const { stats } = watched.history
    if (stats) return stats
    throw new RuntimeError('engine_error', 'two looks at a container gave no figures')
  }

  /** Takes the samples that are due. */
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

  /** Samples the due agents one by one, with pauses. */
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

  /** The agent stopped at this moment, or the engine went away. Other parts report either. */
  #failed(agentId: string, error: unknown): void {
    this.#parts.log.debug({ agentId, err: error }, 'what an agent uses could not be measured')
  }
}

/** Not referenced, so that it keeps no process alive. */
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref())
