/** Users as the API shows them. */
import type { User } from '@slipway/protocol'
import type { Target } from '../../audit/audit.ts'
import type { StoredUser } from './user.ts'

/** Without the password's hash. */
export function presentUser(user: StoredUser): User {
  return {
    id: user.id,
    email: user.email,
    role: user.role,
    disabledAt: user.disabledAt?.toISOString() ?? null,
    invited: user.passwordHash === null,
    createdAt: user.createdAt.toISOString(),
  }
}

/** The one form in which e-mail addresses are stored and looked up: trimmed, in lower case. */
export function normaliseEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** A user as a target in the audit log. */
export const userTarget = ({ id, email }: Pick<StoredUser, 'id' | 'email'>): Target => ({ id, name: email })
