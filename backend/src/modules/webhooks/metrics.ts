/** Figures of webhooks for Prometheus. */
import { Counter, type Registry } from 'prom-client'

/** What became of an attempt: it succeeded, it is tried again, or it was the last one. What was not sent is none. */
type Sent = 'delivered' | 'retried' | 'failed'
/** What became of a call with the right secret. */
type Received = 'started' | 'duplicate' | 'ignored' | 'refused'

export class WebhookMetrics {
  readonly #sent: Counter<'outcome'>
  readonly #received: Counter<'outcome'>

  constructor(registry: Registry) {
    const registers = [registry]
    const labelNames = ['outcome'] as const
    this.#sent = new Counter({
      name: 'slipway_webhook_deliveries_total',
      help: 'Attempts to deliver to webhooks, by outcome: delivered, retried later, or failed for good.',
      labelNames,
      registers,
    })
    this.#received = new Counter({
      name: 'slipway_webhook_calls_total',
      help: 'Calls to incoming webhooks with the right secret, by outcome.',
      labelNames,
      registers,
    })
  }

  sent(outcome: Sent): void {
    this.#sent.inc({ outcome })
  }

  received(outcome: Received): void {
    this.#received.inc({ outcome })
  }
}
