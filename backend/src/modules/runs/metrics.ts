/** Figures of tasks for Prometheus. */
import { SECOND_MS } from '../../lib/time/clock.ts'
import { nameInMetrics } from '../providers/task-provider.ts'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { UNENDED } from './repository.ts'
import type { Share } from './ledger/shares.ts'
import type { StoredRunEnd, Used } from './stored-end.ts'

/** Upper bounds of the time to the first event, in seconds. */
const FIRST_EVENT_BUCKETS = [0.5, 1, 2, 5, 10, 30, 60, 120]

/** The kinds of tokens. */
const KINDS = [
  ['input', 'inputTokens'],
  ['output', 'outputTokens'],
  ['cache_read', 'cacheReadTokens'],
  ['cache_write', 'cacheWriteTokens'],
] as const

/** The tasks in one of the states before the end. */
export interface UnendedTasks {
  readonly state: string
  readonly count: number
  /** When the oldest one was created. */
  readonly oldest: Date
}

export class RunMetrics {
  readonly #ended: Counter<'provider' | 'reason'>
  readonly #cost: Counter<'provider'>
  readonly #tokens: Counter<'provider' | 'kind'>
  readonly #firstEvent: Histogram<'provider'>

  #transcriptBytes = 0

  /** `active` answers the number of tasks that this server holds, `unended` what the database says of all of them. */
  constructor(registry: Registry, active: () => number, unended: () => Promise<readonly UnendedTasks[]>) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_tasks_unended',
      help: 'Tasks that have not ended, by state, as the database has them.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counted = new Map((await unended()).map(({ state, count }) => [state, count]))
        for (const state of UNENDED) this.set({ state }, counted.get(state) ?? 0)
      },
    })
    new Gauge({
      name: 'slipway_tasks_queued_oldest_seconds',
      help: 'How long the oldest task in line has waited; 0 if there is none.',
      registers,
      async collect() {
        const queued = (await unended()).find(({ state }) => state === 'queued')
        this.set(queued ? Math.max(0, (Date.now() - queued.oldest.getTime()) / SECOND_MS) : 0)
      },
    })
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
      help: 'What tasks have cost in US dollars, as far as it is known or can be estimated.',
      labelNames: ['provider'] as const,
      registers,
    })
    this.#tokens = new Counter({
      name: 'slipway_tasks_tokens_total',
      help: 'Tokens of tasks, by provider and kind, as far as their CLIs tell.',
      labelNames: ['provider', 'kind'] as const,
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

  /** A run has ended. `usage` is that of its last process; absent: it had none, or it is not known. */
  ended(id: string, { reason, usage = [] }: Pick<StoredRunEnd, 'reason'> & Partial<Pick<Used, 'usage'>>): void {
    this.#ended.inc({ provider: nameInMetrics(id), reason })
    this.used(id, usage)
  }

  /** What a process of a run has used was stored. */
  used(id: string, usage: readonly Share[]): void {
    const provider = nameInMetrics(id)
    for (const share of usage) {
      this.#cost.inc({ provider }, share.costUsd ?? 0)
      for (const [kind, tokens] of KINDS) this.#tokens.inc({ provider, kind }, share[tokens] ?? 0)
    }
  }

  /** All transcripts together have this size. */
  transcripts(bytes: number): void {
    this.#transcriptBytes = bytes
  }

  /** `seconds` after the start of its program. */
  firstEvent(provider: string, seconds: number): void {
    this.#firstEvent.observe({ provider: nameInMetrics(provider) }, seconds)
  }
}
