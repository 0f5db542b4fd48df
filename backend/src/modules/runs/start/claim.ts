/** The session of a run that starts, and the answer if it cannot. */
import { AppError } from '../../../lib/errors.ts'
import { isDiskFull } from '../../../lib/folder-fault.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import { asHandedIn } from '../../identity/caller.ts'
import type { Claim } from '../../sessions/claim.ts'
import { asFailure } from '../../sessions/failure.ts'
import { RUN_MODE } from '../../sessions/records/records.ts'
import { EndedBeforeStart } from '../../sessions/start/start.ts'
import { badFolder } from '../../sessions/start/folder.ts'
import type { Plan } from './plan.ts'

export const claimOf = ({ run, found: { caller, row, relation } }: Plan, sessionId: string): Claim => ({
  sessionId,
  taskId: run.id,
  caller: asHandedIn(caller),
  row,
  relation,
  mode: RUN_MODE,
})

export const asStartFailure = (error: unknown): unknown => {
  if (error instanceof EndedBeforeStart) return asFailure(error.ending)
  if (error instanceof RuntimeError && error.code === 'bad_folder') return badFolder(error)
  // The database may have been out of space for a record, which has an answer of its own.
  if (!(error instanceof AppError) && isDiskFull(error))
    return new AppError('DISK_FULL', "The server's disk has no room for this task.", { cause: error })
  return asAppError(error)
}
