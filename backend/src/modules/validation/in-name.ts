/** In whose name a validation runs. It may wait for hours, so the rights of its user are looked up at each step. */
import { AppError } from '../../lib/errors.ts'
import type { Source } from '../audit/actor.ts'
import type { RunRow } from '../runs/repository.ts'
import type { reinstater, Standing } from '../sessions/recovery/reinstate.ts'
import type { Job } from './runner.ts'

/** Of a validation that was asked for with its task; null without an agent or a proof. */
export const standingOf = ({ userId, agentId, via, viaId }: RunRow): Standing | null =>
  agentId === null || via === null || viaId === null ? null : { userId, agentId, via: { kind: via, id: viaId } }

/** `source`: the request that asked for it, if one did. */
export const inNameOf = (
  reinstate: ReturnType<typeof reinstater>,
  standing: Standing,
  source?: Source,
): Pick<Job, 'agentId' | 'found'> => ({
  agentId: standing.agentId,
  found: async () => {
    const found = await reinstate(standing, 'task.validate')
    if (!found) throw new AppError('FORBIDDEN', 'The user in whose name it runs may not validate the task any more.')
    return { ...found, caller: { ...found.caller, ...(source && { source }) } }
  },
})
