/**
 * One agent's figures: fine for the last quarter of an hour while users ask for them, and by the minute for the last
 * day.
 */
import type { AgentStats, AgentStatsHistory, StatsSpan } from '@slipway/protocol'
import { MINUTE_MS, SECOND_MS } from '../../../lib/time/clock.ts'
import type { ContainerUsage } from '../../../runtime/port.ts'
import { goesOn, pointBetween, Series } from './series.ts'

/** Time between two samples of an agent that users ask for, in milliseconds. */
export const FINE_MS = 5 * SECOND_MS
/** Time between two samples of any other running agent, in milliseconds. It is longer if there are too many agents. */
export const COARSE_MS = MINUTE_MS
/** Span of the fine series, in minutes. */
const FINE_SPAN = 15
const FINE_POINTS = (FINE_SPAN * MINUTE_MS) / FINE_MS
/** One day. */
const COARSE_POINTS = (24 * 60 * MINUTE_MS) / COARSE_MS
/** Two samples that are closer than this give no useful rate, in milliseconds. */
const TOO_CLOSE_MS = 200

interface Run {
  readonly containerId: string
  last: ContainerUsage
  /**
   * The sample from which the next coarse point counts. `coarseAt` is its time on this machine, since the engine has
   * its own clock.
   */
  lastCoarse: ContainerUsage
  coarseAt: number
}

export class UsageHistory {
  readonly #fine = new Series(FINE_POINTS)
  readonly #coarse = new Series(COARSE_POINTS)
  /** The container's current run; null if it does not run. */
  #run: Run | null = null
  #lastAt = Number.NEGATIVE_INFINITY
  #stats: AgentStats | null = null

  /** Time of the last sample, in milliseconds since 1970. */
  get lastAt(): number {
    return this.#lastAt
  }

  /** The newest figures; null before the second sample of a run. */
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
    // A point that is a little early is better than one that is a whole sample late.
    if (now - run.coarseAt < COARSE_MS - FINE_MS / 2) return
    this.#coarse.push(now, pointBetween(run.lastCoarse, usage))
    run.lastCoarse = usage
    run.coarseAt = now
  }

  /** The container stopped; the next sample belongs to another run. */
  ended(): void {
    if (!this.#run) return
    for (const series of [this.#fine, this.#coarse]) series.gap(this.#lastAt)
    this.#run = null
    this.#stats = null
  }

  /** The figures of the last `span` minutes before `now`. */
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
