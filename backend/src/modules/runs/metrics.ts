/** Figures of tasks for Prometheus. */
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'

/** Upper bounds of the time to the first event, in seconds. */
const FIRST_EVENT_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 120]

export class RunMetrics {
  readonly #ended: Counter<'provider' | 'reason'>
  readonly #cost: Counter<'provider'>
  readonly #firstEvent: Histogram<'provider'>

  #transcriptBytes = 0

  /** `active` answers the number of tasks that this server holds. */
  constructor(registry: Registry, active: () => number) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_tasks_active',
      help: 'Tasks that run now.',
      registers,
      collect() {
        this.set(active())
      },
    })
    const transcriptBytes = (): number => this.#transcriptBytes
    new Gauge({
      name: 'slipway_task_transcripts_bytes',
      help: 'Size of all transcripts of tasks on the disk, at the last look.',
      registers,
      collect() {
        this.set(transcriptBytes())
      },
    })
    this.#ended = new Counter({
      name: 'slipway_tasks_ended_total',
      help: 'Tasks that ended, by provider and reason.',
      labelNames: ['provider', 'reason'] as const,
      registers,
    })
    this.#cost = new Counter({
      name: 'slipway_tasks_cost_usd_total',
      help: 'What tasks have cost in US dollars, as far as their CLIs tell.',
      labelNames: ['provider'] as const,
      registers,
    })
    this.#firstEvent = new Histogram({
      name: 'slipway_tasks_first_event_seconds',
      help: "Time from a program's start to its first event.",
      labelNames: ['provider'] as const,
      buckets: FIRST_EVENT_BUCKETS,
      registers,
    })
  }

  ended(provider: string, reason: string, costUsd: number | null): void {
    this.#ended.inc({ provider, reason })
    // The CLI is in the agent's hands, so its numbers may be nonsense.
    if (costUsd !== null && costUsd > 0 && Number.isFinite(costUsd)) this.#cost.inc({ provider }, costUsd)
  }

  /** All transcripts together have this size. */
  transcripts(bytes: number): void {
    this.#transcriptBytes = bytes
  }

  /** `seconds` after the start of its program. */
  firstEvent(provider: string, seconds: number): void {
    this.#firstEvent.observe({ provider }, seconds)
  }
}
