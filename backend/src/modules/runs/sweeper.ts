/** Looks now and then at what earlier servers and tasks of the past have left. */
import { type Clock, MINUTE_MS } from '../../lib/time/clock.ts'
import type { Log } from '../../lib/log.ts'
import { Sweeper } from '../../lib/time/sweeper.ts'
import { sweepDiffs } from './changes/stored.ts'
import type { LeftRuns } from './left-runs.ts'
import { withdrawLeft } from './people/left.ts'
import type { RunRepository } from './repository.ts'
import type { TranscriptKeeper } from './transcript/keeper.ts'

/** Time between two looks at runs and transcripts that were left, in milliseconds. */
const SWEEP_EVERY_MS = 10 * MINUTE_MS
/** Longer than any run takes from its row to the record of its session, in milliseconds. */
const START_LONGEST_MS = 15 * MINUTE_MS

interface Deps {
  readonly left: Pick<LeftRuns, 'sweep'>
  readonly keeper: Pick<TranscriptKeeper, 'sweep'>
  /** The folder of the transcripts. */
  readonly folder: string
  readonly repository: RunRepository
  readonly dialogs: Parameters<typeof withdrawLeft>[0]
  /** When this backend started: what is older was left by another one. */
  readonly startedAt: () => number
  readonly clock: Clock
  readonly log: Log
}

export const runSweeper = ({ left, keeper, folder, repository, dialogs, startedAt, clock, log }: Deps): Sweeper =>
  new Sweeper({
    steps: [
      // A run of this backend may be starting.
      () => left.sweep(new Date(Math.max(startedAt(), clock.now() - START_LONGEST_MS))),
      () => keeper.sweep(),
      () => sweepDiffs(folder, repository),
      () => withdrawLeft(dialogs),
    ],
    everyMs: SWEEP_EVERY_MS,
    onFailure: (error) => log.error({ err: error }, 'tasks not swept'),
  })
