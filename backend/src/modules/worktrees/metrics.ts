/** Figures of worktrees for Prometheus. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { StoredState } from './repository.ts'

/** The states of a worktree that is there. */
const STATES = ['making', 'in_use', 'kept', 'removing'] as const satisfies readonly StoredState[]

export class WorktreeMetrics {
  readonly #failures: Counter

  /** `counts` answers null while the database does not. */
  constructor(registry: Registry, counts: () => Promise<ReadonlyMap<string, number> | null>) {
    const registers = [registry]
    new Gauge({
      name: 'slipway_worktrees',
      help: 'Worktrees of tasks, by state, as the database has them.',
      labelNames: ['state'] as const,
      registers,
      async collect() {
        const counted = await counts()
        this.reset()
        for (const state of STATES) if (counted !== null) this.set({ state }, counted.get(state) ?? 0)
      },
    })
    this.#failures = new Counter({
      name: 'slipway_worktree_failures_total',
      help: 'Worktrees that could not be looked at or removed. Those that no user keeps are tried again.',
      registers,
    })
  }

  /** A worktree could not be looked at or removed. */
  failed(): void {
    this.#failures.inc()
  }
}
