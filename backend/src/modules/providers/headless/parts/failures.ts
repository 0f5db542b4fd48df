/** What drivers do with a failure. */
import type { RunHappening } from '@slipway/protocol'
import type { Failure } from '../headless.ts'

/** The event that shows a failure. */
export const happeningOf = ({ reason, message, status, resetsAt }: Failure): RunHappening =>
  reason === 'usage_limit'
    ? { type: 'limit', message, resetsAt: resetsAt === null ? null : new Date(resetsAt).toISOString() }
    : { type: 'error', message, status }
