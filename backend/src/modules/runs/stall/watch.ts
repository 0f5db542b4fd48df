/**
 * Ends runs that are stalled: they print nothing, and their processes use no CPU. Silence alone says nothing, because a
 * build may be silent for long.
 */
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import { Semaphore } from '../../../lib/semaphore.ts'
import { Sweeper } from '../../../lib/time/sweeper.ts'
import type { ContainerProcess, ContainerRuntime } from '../../../runtime/port.ts'
import type { Outcome } from '../end.ts'
import { type CpuTimes, cpuTimesOf, type Tree, usedBetween } from './cpu.ts'

/** How often the processes of a silent run are looked at until it counts as stalled. */
export const LOOKS = 10
/** A program that only waits uses less than this share of one CPU. See ADR 48. */
export const IDLE_SHARE = 0.02
/** Agents that are looked at at the same time. Each takes a program of the engine. */
const AT_ONCE = 4
/** More agents than there may be tasks. */
const WAITING_MAX = 10_000

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'processes'>
  /** The running container of an agent; null: none. */
  readonly running: (agentId: string) => string | null
  /** How long a run may be idle, in milliseconds. */
  readonly stallMs: number
  readonly log: Log
}

/** A run to watch. */
export interface WatchedRun extends Tree {
  readonly agentId: string
  /** Whether its silence says nothing, because its output is not read at present. */
  readonly isHeldUp: () => boolean
  /** Called once. */
  readonly over: (outcome: Outcome) => void
}

/** One look at the processes of a run. Times are in milliseconds on the monotonic clock. */
interface Look {
  readonly at: number
  readonly times: CpuTimes
}

/** How long one run has been idle. */
class Watched {
  readonly run: WatchedRun
  /** When it began, or was last heard. */
  #heardAt = performance.now()
  /** For how long it has used no CPU since then, as far as the looks show it, in milliseconds. */
  #idleMs = 0
  /** Null: there is none since then. */
  #last: Look | null = null

  constructor(run: WatchedRun) {
    this.run = run
  }

  /** It printed something. */
  heard(): void {
    this.#heardAt = performance.now()
    this.#idleMs = 0
    this.#last = null
  }

  /** How long it has been silent, in milliseconds. */
  silentMs(): number {
    return performance.now() - this.#heardAt
  }

  /**
   * Takes a look that began at `from`, and answers how long the run has been idle. At most `countedMs` count of the time
   * since the last look: this server may have been stopped in between.
   */
  saw(from: number, times: CpuTimes, countedMs: number): number {
    if (this.#heardAt >= from) return 0
    const last = this.#last
    const at = performance.now()
    this.#last = { at, times }
    if (!last) return 0
    const elapsed = at - last.at
    const isIdle = usedBetween(last.times, times) < elapsed * IDLE_SHARE
    this.#idleMs = isIdle ? this.#idleMs + Math.min(elapsed, countedMs) : 0
    return this.#idleMs
  }
}

export class StallWatch {
  readonly #parts: Parts
  readonly #everyMs: number
  /** As many as there may be tasks. */
  readonly #watched = new Set<Watched>()
  readonly #turns = new Semaphore(AT_ONCE, WAITING_MAX)
  readonly #sweeper: Sweeper

  constructor(parts: Parts) {
    this.#parts = parts
    this.#everyMs = parts.stallMs / LOOKS
    this.#sweeper = new Sweeper({
      steps: [() => this.look()],
      everyMs: this.#everyMs,
      onFailure: (error) => parts.log.error({ err: error }, 'silent tasks could not be looked at'),
    })
  }

  start(): void {
    this.#sweeper.start()
  }

  stop(): Promise<void> {
    return this.#sweeper.stop()
  }

  /** Watches a run until it leaves. Call `heard` for each output. */
  watch(run: WatchedRun): { readonly heard: () => void; readonly leave: () => void } {
    const watched = new Watched(run)
    this.#watched.add(watched)
    return { heard: () => watched.heard(), leave: () => this.#watched.delete(watched) }
  }

  /** Looks once at each agent with silent runs. */
  async look(): Promise<void> {
    for (const watched of this.#watched) if (watched.run.isHeldUp()) watched.heard()
    const silent = [...this.#watched].filter((watched) => watched.silentMs() >= this.#everyMs)
    const agents = Map.groupBy(silent, ({ run }) => run.agentId)
    await Promise.all([...agents].map(([id, runs]) => this.#turns.run(() => this.#lookInto(id, runs))))
  }

  async #lookInto(agentId: string, runs: readonly Watched[]): Promise<void> {
    const from = performance.now()
    const all = await this.#processes(agentId)
    for (const watched of runs) {
      // It is not known what they do. While the engine does not answer, no output comes either.
      if (!all) watched.heard()
      else this.#judge(watched, from, all)
    }
  }

  #judge(watched: Watched, from: number, all: readonly ContainerProcess[]): void {
    const { stallMs } = this.#parts
    const idleMs = watched.saw(from, cpuTimesOf(all, watched.run), 2 * this.#everyMs)
    if (idleMs < stallMs || !this.#watched.delete(watched)) return
    watched.run.over({ kind: 'stalled', seconds: Math.round(stallMs / SECOND_MS) })
  }

  /** Null: the engine does not tell. */
  async #processes(agentId: string): Promise<readonly ContainerProcess[] | null> {
    const { runtime, running, log } = this.#parts
    const containerId = running(agentId)
    if (containerId === null) return null
    return runtime.processes(containerId).catch((error: unknown) => {
      log.warn({ agentId, err: error }, 'the processes of a silent task could not be listed')
      return null
    })
  }
}
