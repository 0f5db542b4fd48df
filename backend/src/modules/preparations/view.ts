/** A preparation as users see it. */
import { ConfirmPreparation, DevcontainerOffer, type Preparation, PREPARATION_STATES } from '@slipway/protocol'
import Value from 'typebox/value'
import type { PreparationRow } from './repository.ts'
import { folderPath } from './program.ts'
import type { GitProgress } from './transcript.ts'

/** What is known of one in progress, and is not stored. */
export interface Live {
  readonly progress: GitProgress | null
  readonly output: string
}

export const toPreparation = (row: PreparationRow, live: Live | null): Preparation => ({
  state: PREPARATION_STATES.find((state) => state === row.state) ?? 'failed',
  repository:
    row.url === null
      ? null
      : {
          url: row.url,
          ref: row.ref,
          folder: folderPath(row.folder),
          isCloned: row.isCloned,
          commit: row.commit,
          branch: row.branch,
        },
  setupCommand: row.setupCommand,
  progress: row.state === 'cloning' ? (live?.progress ?? null) : null,
  offer: Value.Check(DevcontainerOffer, row.offer) ? row.offer : null,
  confirmed: Value.Check(ConfirmPreparation, row.confirmed) ? row.confirmed : null,
  task:
    row.taskPrompt === null
      ? null
      : {
          provider: row.taskProvider,
          sessionId: row.state === 'ready' && row.taskError === null ? row.taskId : null,
          error: row.taskError,
        },
  error: row.error,
  output: live?.output ?? row.output,
  changedAt: row.changedAt.toISOString(),
})
