/** Figures of schedules for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client'

/**
 * What became of a time of a schedule. `run`: its task is in line; `missed`: the server did not run then; `refused`: the
 * task could not be put into the line, and the schedule says why; `failed`: the look broke, and the next one tries again.
 */
const OUTCOMES = ['run', 'missed', 'refused', 'failed'] as const
/** One of {@link OUTCOMES}. */
export type TimeOutcome = (typeof OUTCOMES)[number]

/** Numbers of schedules. */
export interface ScheduleCounts {
  readonly enabled: number
  readonly disabled: number
}

export class ScheduleMetrics {
  readonly #times: Counter<'outcome'>

  /** `counts` answers null while the database does not. */
  constructor(registry: Registry, counts: () => Promise<ScheduleCounts | null>) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_schedules',
      help: 'Schedules, by whether they are switched on, as the database has them.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counted = await counts()
        this.reset()
        if (counted === null) return
        this.set({ state: 'enabled' }, counted.enabled)
        this.set({ state: 'disabled' }, counted.disabled)
      },
    })
    this.#times = new Counter({
      name: 'slipway_schedule_times_total',
      help: 'Times of schedules that have come, by what became of them.',
      labelNames: ['outcome'] as const,
      registers,
    })
    for (const outcome of OUTCOMES) this.#times.inc({ outcome }, 0)
  }

  /** A time has come. */
  passed(outcome: TimeOutcome): void {
    this.#times.inc({ outcome })
  }
}
