/** What in the administration of users needs a sign-in. */
import { AppError } from '../../../lib/errors.ts'
import type { Caller } from '../caller.ts'

/**
 * Throws `FORBIDDEN` for an API token. The scope `users:admin` allows adding accounts, and with an account one can sign
 * in. If that could be an admin's account, or one that gets other users' agents, the scope would allow everything.
 */
export function requireSignedIn({ via }: Caller, toDoWhat: string): void {
  if (via.kind !== 'sign_in') throw new AppError('FORBIDDEN', `An API token may not ${toDoWhat}. Sign in to do it.`)
}
