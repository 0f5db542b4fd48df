/** A user, as this whole module sees one. */
import type { Role } from '@slipway/protocol'

/** A user as stored. */
export interface StoredUser {
  readonly id: string
  /** In lower case. */
  readonly email: string
  readonly role: Role
  /** argon2id; null until the invitation was accepted. */
  readonly passwordHash: string | null
  readonly disabledAt: Date | null
  readonly createdAt: Date
}
