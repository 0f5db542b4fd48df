/** What of people's administration takes a sign-in. */
import { AppError } from '../../../lib/errors.ts'
import type { Caller } from '../caller.ts'

/**
 * Throws `FORBIDDEN` for an API token. The scope `users:admin` lets one add accounts, and with an account one signs in: if that could be an admin's,
 * or one that is handed others' agents, the scope would be all of them.
 */
export function requireSignedIn({ via }: Caller, toDoWhat: string): void {
  if (via.kind !== 'sign_in') throw new AppError('FORBIDDEN', `An API token may not ${toDoWhat}. Sign in to do it.`)
}
