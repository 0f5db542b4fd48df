/** Figures of conversations in chats for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client'

/** What became of bringing a thread up to date: done, tried again later, the thread is gone, or an unexpected failure. */
export type TendedOutcome = 'done' | 'retried' | 'gone' | 'failed'

/** What is measured of a chat service. */
export interface MeteredChat {
  readonly name: string
  readonly isConnected: () => boolean
}

export class ChatMetrics {
  readonly #service: string
  readonly #connections: Counter<'service'>
  readonly #tended: Counter<'service' | 'outcome'>

  constructor(registry: Registry, { name: service, isConnected }: MeteredChat) {
    this.#service = service
    new Gauge({
      name: 'slipway_chat_connected',
      help: 'Whether the bot is connected to its chat service: 1 or 0.',
      labelNames: ['service'] as const,
      registers: [registry],
      collect() {
        this.set({ service }, isConnected() ? 1 : 0)
      },
    })
    this.#connections = new Counter({
      name: 'slipway_chat_connections_total',
      help: 'New sessions with a chat service. A resumed session does not count.',
      labelNames: ['service'],
      registers: [registry],
    })
    this.#tended = new Counter({
      name: 'slipway_chat_threads_total',
      help: 'How often a thread of a chat was brought up to date, by outcome: done, retried later, gone, or failed unexpectedly.',
      labelNames: ['service', 'outcome'],
      registers: [registry],
    })
  }

  connected(): void {
    this.#connections.inc({ service: this.#service })
  }

  tended(outcome: TendedOutcome): void {
    this.#tended.inc({ service: this.#service, outcome })
  }
}
