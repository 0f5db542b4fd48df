/** Failures of the engine, as requests are answered. */
import { AppError } from '../lib/errors.ts'
import { RuntimeError } from './errors.ts'

/** A failure of the engine as an answer to a request. */
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
