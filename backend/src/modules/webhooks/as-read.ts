/**
 * A change begins with the webhook as it was read. Without a check, the slower one of two concurrent changes would undo the
 * other: a secret that was rotated away would be back, or a webhook that was switched off would be on again.
 */
import { AppError, notFound } from '../../lib/errors.ts'

interface Read {
  readonly id: string
  readonly userId: string | null
  readonly enabled: boolean
  readonly sealed: Uint8Array<ArrayBuffer>
  readonly updatedAt: Date
}

/** Finds the webhook if it is as it was read. */
export const asRead = ({ id, userId, enabled, sealed, updatedAt }: Read) => ({
  ...{ id, enabled, sealed, updatedAt },
  ...(userId !== null && { userId }),
})

/** Refuses a change that found no such webhook. `left` says how many have its id. */
export const refuseChanged = (left: number): never => {
  if (left === 0) throw notFound()
  throw new AppError('WRONG_STATE', 'The webhook was changed at the same time. Try again.')
}
