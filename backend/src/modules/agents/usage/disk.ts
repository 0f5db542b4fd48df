/** Disk use. Docker cannot limit it on most file systems, so it is measured regularly, shown, and bounded by a stop. */
import type { AgentDisk } from '@slipway/protocol'
import { type Clock, MINUTE_MS } from '../../../lib/time/clock.ts'
import type { Log } from '../../../lib/log.ts'
import type { ContainerRuntime } from '../../../runtime/port.ts'

/**
 * Shortest time between two measurements, in milliseconds. It is also the least time that users have to clean up an agent
 * that was stopped for its disk, since one that did not run after the measurement before is not stopped.
 */
const EVERY_MS = 10 * MINUTE_MS
/** A measurement makes the engine read every file's size, so the pause is 19 times as long as the measurement. */
const REST_FACTOR = 19
/** Share of the limit from which users are warned. */
const LOW_SHARE = 0.8

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'diskUse' | 'available'>
  /** Null turns measurements off. */
  readonly limitBytes: number | null
  readonly clock: Clock
  readonly log: Log
  /** Called when the shown figures of an agent changed. */
  changed(agentId: string): void
  /** Whether the agent runs now. */
  isRunning(agentId: string): boolean
  /** Called when the agent has reached its limit. Must do nothing if it does not run. */
  stop(agentId: string): Promise<void>
}

export class DiskWatch {
  readonly #parts: Parts
  #known: ReadonlyMap<string, AgentDisk> = new Map()
  /** The agents that ran at the end of the last measurement. A restart since then gives them no more time. */
  #ranBefore: ReadonlySet<string> = new Set()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Starts measuring. The first measurement is later, when the server has started. */
  start(): void {
    if (this.#parts.limitBytes !== null) this.#next(MINUTE_MS)
  }

  close(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  /** Null before the first measurement. */
  of(agentId: string): AgentDisk | null {
    return this.#known.get(agentId) ?? null
  }

  /**
   * Measures once, reports agents that crossed the warning line, and stops those at their limit that also ran
   * after the measurement before.
   */
  async measure(): Promise<void> {
    const { runtime, limitBytes, clock, changed, isRunning, stop, log } = this.#parts
    if (limitBytes === null || !runtime.available) return
    const use = await runtime.diskUse()
    const before = this.#known
    const measuredAt = new Date(clock.now()).toISOString()
    this.#known = new Map(
      [...use].map(([agentId, usedBytes]) => {
        const isLow = usedBytes >= limitBytes * LOW_SHARE
        return [agentId, { usedBytes, limitBytes, isLow, measuredAt }]
      }),
    )
    for (const [agentId, { isLow }] of this.#known)
      if (isLow !== (before.get(agentId)?.isLow ?? false)) changed(agentId)
    for (const [agentId, { usedBytes }] of this.#known)
      if (usedBytes >= limitBytes && isRunning(agentId) && this.#ranBefore.has(agentId))
        await stop(agentId).catch((error: unknown) =>
          log.error({ agentId, err: error }, 'a full agent was not stopped'),
        )
    this.#ranBefore = new Set([...use.keys()].filter((agentId) => isRunning(agentId)))
  }

  #next(inMs: number): void {
    if (this.#isStopped) return
    this.#timer = setTimeout(() => {
      const from = performance.now()
      void this.measure()
        .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'disk use could not be measured'))
        .then(() => this.#next(Math.max(EVERY_MS, (performance.now() - from) * REST_FACTOR)))
    }, inMs)
    this.#timer.unref()
  }
}
