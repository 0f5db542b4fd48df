/** Figures of SSH for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client'

/** Why a client was refused: no key of it may use the agent, its network failed too often, or too many clients wait. */
export type Refusal = 'key' | 'throttled' | 'full'

export class SshMetrics {
  readonly #refused: Counter<'reason'>

  constructor(registry: Registry, connections: () => number) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_ssh_connections',
      help: 'Connections over SSH that are open now.',
      registers,
      collect() {
        this.set(connections())
      },
    })
    this.#refused = new Counter({
      name: 'slipway_ssh_refused_total',
      help: 'Connections over SSH that were refused: no key that may use the agent, a network that failed too often, or too many that wait.',
      labelNames: ['reason'],
      registers,
    })
  }

  refused(reason: Refusal): void {
    this.#refused.inc({ reason })
  }
}
