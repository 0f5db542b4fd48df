/** Figures of pull requests and of commits by the platform itself, for Prometheus. */
import { Counter, type Registry } from 'prom-client'

/** What became of a request to open or to change one. */
const PULL_OUTCOMES = ['opened', 'changed', 'failed'] as const
/**
 * What became of a commit after a task. `nothing`: there was no change, or its user lost the right; `refused`: it would be
 * refused to a user, too; `failed`: something broke.
 */
const COMMIT_OUTCOMES = ['committed', 'nothing', 'refused', 'failed'] as const

export class PublishMetrics {
  readonly #pulls: Counter<'outcome'>
  readonly #commits: Counter<'outcome'>

  constructor(registry: Registry) {
    const labelNames = ['outcome'] as const
    const registers = [registry]
    this.#pulls = new Counter({
      name: 'slipway_pull_requests_total',
      help: 'Requests to open or to change a pull request, by outcome.',
      labelNames,
      registers,
    })
    this.#commits = new Counter({
      name: 'slipway_auto_commits_total',
      help: 'Commits after tasks in agents whose owners want them, by outcome.',
      labelNames,
      registers,
    })
    for (const outcome of PULL_OUTCOMES) this.#pulls.inc({ outcome }, 0)
    for (const outcome of COMMIT_OUTCOMES) this.#commits.inc({ outcome }, 0)
  }

  /** A pull request was opened or changed, or was not. */
  pull(outcome: (typeof PULL_OUTCOMES)[number]): void {
    this.#pulls.inc({ outcome })
  }

  /** A task in an agent that commits was looked at. */
  commit(outcome: (typeof COMMIT_OUTCOMES)[number]): void {
    this.#commits.inc({ outcome })
  }
}
