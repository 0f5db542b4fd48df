/** Conversations of tasks that go on in a terminal. */
import { CloseCode } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import type { Claim } from '../sessions/claim.ts'
import type { Conversation } from '../sessions/conversations.ts'
import { RefusedError } from './refused.ts'

/** Throws if the user's terminal does not have the conversation. */
export const requireSame = ({ cliSessionId }: Pick<Claim, 'cliSessionId'>, wanted: Conversation): void => {
  if (cliSessionId === wanted.cliSessionId) return
  const message = 'You have another terminal open in this agent. Disconnect it, then continue the task.'
  throw new RefusedError(CloseCode.BAD_REQUEST, message)
}

/** Tells the client why a conversation does not go on here. */
export const notContinued = (error: unknown): unknown => {
  if (!(error instanceof AppError)) return error
  const isForbidden = error.statusCode === 403 || error.statusCode === 404
  return new RefusedError(isForbidden ? CloseCode.FORBIDDEN : CloseCode.BAD_REQUEST, error.message)
}
