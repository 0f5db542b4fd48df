/** Whose a credential is. */
import type { Target } from '../audit/audit.ts'

/** An agent's, a user's, or the platform's. */
export type CredentialOwner =
  | { readonly type: 'agent'; readonly id: string }
  | { readonly type: 'user'; readonly id: string }
  | { readonly type: 'platform' }

export const PLATFORM: CredentialOwner = { type: 'platform' }

/** An owner with the name that people know: an agent's, an e-mail address, or that of the platform. */
export interface Holder {
  readonly owner: CredentialOwner
  readonly name: string
}

export const PLATFORM_HOLDER: Holder = { owner: PLATFORM, name: 'platform' }

/** The holder as the audit log knows it. */
export const targetOf = ({ owner, name }: Holder): Target => ({
  id: owner.type === 'platform' ? null : owner.id,
  name,
})

/** The owner as the column `owner` holds it. */
export const ownerKey = (owner: CredentialOwner): string =>
  owner.type === 'platform' ? 'platform' : `${owner.type}:${owner.id}`

/** The columns of an owner; the database checks that they agree. */
export const ownerColumns = (owner: CredentialOwner) => ({
  owner: ownerKey(owner),
  agentId: owner.type === 'agent' ? owner.id : null,
  userId: owner.type === 'user' ? owner.id : null,
})
