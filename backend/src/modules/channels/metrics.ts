/** Figures of messages to people for Prometheus. */
import { Counter, type Registry } from 'prom-client'

export type Channel = 'push' | 'mail'
/** What became of an attempt: it succeeded, it is tried again, it was the last one, or the device is gone. */
export type SentOutcome = 'sent' | 'retried' | 'failed' | 'gone'

export class ChannelMetrics {
  readonly #sent: Counter<'channel' | 'outcome'>

  constructor(registry: Registry) {
    this.#sent = new Counter({
      name: 'slipway_notices_total',
      help: 'Attempts to tell users of questions, by channel (push, mail) and outcome: sent, retried later, failed for good, or to a device that is gone.',
      labelNames: ['channel', 'outcome'],
      registers: [registry],
    })
  }

  sent(channel: Channel, outcome: SentOutcome): void {
    this.#sent.inc({ channel, outcome })
  }
}
