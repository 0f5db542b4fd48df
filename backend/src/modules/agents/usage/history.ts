/** One agent's figures: the last quarter of an hour finely while somebody looks, the last day by the minute. */
import type { AgentStats, AgentStatsHistory, StatsSpan } from '@slipway/protocol'
import { MINUTE_MS, SECOND_MS } from '../../../lib/clock.ts'
import type { ContainerUsage } from '../../../runtime/port.ts'
import { goesOn, pointBetween, Series } from './series.ts'

/** Between two looks at an agent that somebody looks at, in milliseconds. */
export const FINE_MS = 5 * SECOND_MS
/** Between two looks at any other that runs, in milliseconds: longer where there are too many for the pace. */
export const COARSE_MS = MINUTE_MS
/** Span of the fine series, in minutes. */
const FINE_SPAN = 15
const FINE_POINTS = (FINE_SPAN * MINUTE_MS) / FINE_MS
/** A day. */
const COARSE_POINTS = (24 * 60 * MINUTE_MS) / COARSE_MS
/** Two looks that are closer than this say nothing about a rate, in milliseconds. */
const TOO_CLOSE_MS = 200

interface Run {
  readonly containerId: string
  last: ContainerUsage
  /** The look that the next coarse point counts from, and when that was here: the engine's clock is its own. */
  lastCoarse: ContainerUsage
  coarseAt: number
}

export class UsageHistory {
  readonly #fine = new Series(FINE_POINTS)
  readonly #coarse = new Series(COARSE_POINTS)
  /** The container's present run; null while it does not run. */
  #run: Run | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #stats: AgentStats | null = null

  /** When it was looked at last, in milliseconds since 1970. */
  get lastAt(): number {
    return this.#lastAt
  }

  /** The newest figures; null before there are two looks at this run. */
  get stats(): AgentStats | null {
    return this.#stats
  }

  /** `now` in milliseconds since 1970. */
  add(now: number, containerId: string, usage: ContainerUsage): void {
    if (this.#run?.containerId !== containerId || !goesOn(this.#run.last, usage)) {
      this.ended()
      this.#run = { containerId, last: usage, lastCoarse: usage, coarseAt: now }
      this.#lastAt = now
      return
    }
    const run = this.#run
    if (usage.at - run.last.at < TOO_CLOSE_MS) return
    const point = pointBetween(run.last, usage)
    this.#fine.push(now, point)
    this.#stats = statsOf(point.cpuPercent, usage)
    run.last = usage
    this.#lastAt = now
    // A little early is better than a whole look late.
    if (now - run.coarseAt < COARSE_MS - FINE_MS / 2) return
    this.#coarse.push(now, pointBetween(run.lastCoarse, usage))
    run.lastCoarse = usage
    run.coarseAt = now
  }

  /** It does not run any more: what follows is another run. */
  ended(): void {
    if (!this.#run) return
    for (const series of [this.#fine, this.#coarse]) series.gap(this.#lastAt)
    this.#run = null
    this.#stats = null
  }

  /** What is known of the last `span` minutes before `now`. */
  over(span: StatsSpan, now: number): AgentStatsHistory {
    const series = span <= FINE_SPAN ? this.#fine : this.#coarse
    return { ...series.since(now - span * MINUTE_MS), memoryLimitBytes: this.#stats?.memoryLimitBytes ?? null }
  }
}

const statsOf = (cpuPercent: number, usage: ContainerUsage): AgentStats => ({
  cpuPercent: Math.round(cpuPercent * 10) / 10,
  memoryBytes: Math.round(usage.memoryBytes),
  memoryLimitBytes: Math.round(usage.memoryLimitBytes),
  networkRxBytes: Math.round(usage.networkRxBytes),
  networkTxBytes: Math.round(usage.networkTxBytes),
  diskReadBytes: Math.round(usage.diskReadBytes),
  diskWriteBytes: Math.round(usage.diskWriteBytes),
  processes: Math.round(usage.processes),
})
