/** Why a validation is not started. */
import { AppError } from '../../lib/errors.ts'
import { ENDED_PER_AGENT_MAX } from './runner.ts'

/** When a refused request may be sent again, in seconds. */
const RETRY_AFTER_SECONDS = 10

export const tooMany = (): AppError =>
  new AppError(
    'TOO_MANY_REQUESTS',
    `${ENDED_PER_AGENT_MAX} validations run or wait in this agent, the maximum. Wait for one to end, or end one.`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  )

export const runsAlready = (): AppError => new AppError('WRONG_STATE', 'A validation of this task runs already.')
