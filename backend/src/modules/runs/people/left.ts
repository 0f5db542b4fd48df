/** Withdraws the questions of runs that have ended: a backend was killed between two writes. */
import type { Dialogs } from '../../dialogs/dialogs.ts'

/** Runs of one round. */
const BATCH = 500

export const withdrawLeft = async ({ repository, service }: Pick<Dialogs, 'repository' | 'service'>): Promise<void> => {
  for (const runId of await repository.orphans(BATCH)) await service.withdraw(runId)
}
