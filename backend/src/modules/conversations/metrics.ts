/** Figures of conversations for Prometheus. */
import type { ConversationState } from '@slipway/protocol'
import { Counter, Gauge, type Registry } from 'prom-client'

const STATES = ['active', 'errored', 'archived'] as const satisfies readonly ConversationState[]

/** Numbers of conversations. */
export interface ConversationCounts {
  readonly states: Readonly<Record<ConversationState, number>>
  /** Messages that wait. */
  readonly queued: number
}

export class ConversationMetrics {
  readonly #failures: Counter

  /** `counts` answers null while the database does not. */
  constructor(registry: Registry, counts: () => Promise<ConversationCounts | null>) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_conversations',
      help: 'Conversations, by state, as the database has them.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counted = await counts()
        this.reset()
        for (const state of STATES) if (counted !== null) this.set({ state }, counted.states[state])
      },
    })
    new Gauge({
      name: 'slipway_conversation_messages_queued',
      help: 'Messages of conversations that wait for their turn.',
      registers,
      async collect() {
        const counted = await counts()
        this.reset()
        if (counted !== null) this.set(counted.queued)
      },
    })
    this.#failures = new Counter({
      name: 'slipway_conversation_failures_total',
      help: 'Conversations that could not be moved on at a look. The next look tries again.',
      registers,
    })
  }

  /** A conversation could not be moved on. */
  failed(): void {
    this.#failures.inc()
  }
}
