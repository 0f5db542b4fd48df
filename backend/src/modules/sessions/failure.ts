/** Why a program did not start, or no longer runs, as an answer to a request. */
import { AppError } from '../../lib/errors.ts'
import type { Ending } from './ending.ts'

/** The end from outside as an answer to a request. */
export const asFailure = ({ reason, message }: Ending): AppError => {
  switch (reason) {
    case 'access_revoked':
      return new AppError('FORBIDDEN', message)
    case 'server_stopping':
      return new AppError('SERVER_STOPPING', message)
    case 'engine_unavailable':
      return new AppError('ENGINE_UNAVAILABLE', 'The container engine does not answer. Try again in a moment.')
    default:
      return new AppError('WRONG_STATE', message)
  }
}
