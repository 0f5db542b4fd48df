/** Figures of validations for Prometheus. */
import { Counter, type Registry } from 'prom-client'
import type { Verdict } from './verdict.ts'

const VERDICTS = ['passed', 'failed', 'failing_before', 'not_verified'] as const satisfies readonly Verdict['state'][]

export class ValidationMetrics {
  readonly #ended: Counter<'verdict'>

  constructor(registry: Registry) {
    this.#ended = new Counter({
      name: 'slipway_validations_total',
      help: 'Validations that ended, by verdict.',
      labelNames: ['verdict'] as const,
      registers: [registry],
    })
    for (const verdict of VERDICTS) this.#ended.inc({ verdict }, 0)
  }

  /** A validation ended, and its end is stored. */
  ended(verdict: Verdict['state']): void {
    this.#ended.inc({ verdict })
  }
}
