/** Why a user was not changed, as the answer to a request. */
import { AppError, notFound } from '../../../lib/errors.ts'
import type { Refusal } from './repository.ts'

const REFUSALS: Record<Refusal, () => AppError> = {
  missing: () => notFound(),
  last_admin: () =>
    new AppError('LAST_ADMIN', 'This is the last admin who can sign in. Make another user an admin first.'),
  owns_agents: () => new AppError('OWNS_AGENTS', 'This user still owns agents. Hand them over or delete them first.'),
}

/** Answers the result, or throws why there is none. */
export function settled<T extends object>(result: T | Refusal): T {
  if (typeof result === 'string') throw REFUSALS[result]()
  return result
}
