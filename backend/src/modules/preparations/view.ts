/** A preparation as users see it. */
import { ConfirmPreparation, DevcontainerOffer, type Preparation, PREPARATION_STATES } from '@slipway/protocol'
import Value from 'typebox/value'
import { allows } from '../access/policy.ts'
import type { Found } from '../agents/service.ts'
import type { PreparationRow } from './repository.ts'
import { folderPath } from './program.ts'
import type { GitProgress } from './transcript.ts'

/** What is known of one in progress, and is not stored. */
export interface Live {
  readonly progress: GitProgress | null
  readonly output: string
}

type Stored = Pick<PreparationRow, 'offer' | 'confirmed'>

/** What `devcontainer.json` offers; null if there is none. */
export const offerOf = ({ offer }: Stored): DevcontainerOffer | null =>
  Value.Check(DevcontainerOffer, offer) ? offer : null
/** What of it is used; null if no user has decided yet. */
export const confirmedOf = ({ confirmed }: Stored): ConfirmPreparation | null =>
  Value.Check(ConfirmPreparation, confirmed) ? confirmed : null

/** The prompt of the first task belongs to the user in whose name it starts. */
const readsPrompt = ({ userId }: PreparationRow, { caller, relation }: Found): boolean =>
  userId === caller.userId && allows(caller, 'task.view', relation)

/** For a caller; null: for all who may see the agent. */
export const toPreparation = (row: PreparationRow, live: Live | null, reader: Found | null): Preparation => ({
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
  offer: offerOf(row),
  confirmed: confirmedOf(row),
  task:
    row.taskPrompt === null
      ? null
      : {
          userId: row.userId,
          prompt: reader !== null && readsPrompt(row, reader) ? row.taskPrompt : null,
          provider: row.taskProvider,
          sessionId: row.state === 'ready' && row.taskError === null ? row.taskId : null,
          error: row.taskError,
        },
  error: row.error,
  output: live?.output ?? row.output,
  changedAt: row.changedAt.toISOString(),
})
