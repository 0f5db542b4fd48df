/** Turns failures of the engine into the errors of requests. */
import { AppError } from '../lib/errors.ts'
import { RuntimeError } from './errors.ts'

/** Returns the error that answers the request; other errors stay as they are. */
export const asAppError = (error: unknown): unknown => {
  if (!(error instanceof RuntimeError)) return error
  if (error.code === 'engine_unavailable')
    return new AppError('ENGINE_UNAVAILABLE', 'The container engine does not answer. Try again in a moment.', {
      cause: error,
    })
  if (error.code === 'not_found' || error.code === 'not_running')
    return new AppError('WRONG_STATE', 'The agent is not running. Start it first.', { cause: error })
  return new AppError('ENGINE_UNAVAILABLE', 'The container engine could not do that. Try again in a moment.', {
    cause: error,
  })
}
