/** The owner of a credential. */
import type { Target } from '../audit/audit.ts'

/** An agent, a user or the platform. */
export type CredentialOwner =
  | { readonly type: 'agent'; readonly id: string }
  | { readonly type: 'user'; readonly id: string }
  | { readonly type: 'platform' }

export const PLATFORM: CredentialOwner = { type: 'platform' }

/** An owner with its display name: an agent's name, an e-mail address, or the platform's name. */
export interface Holder {
  readonly owner: CredentialOwner
  readonly name: string
}

export const PLATFORM_HOLDER: Holder = { owner: PLATFORM, name: 'platform' }

/** The holder as a target in the audit log. */
export const targetOf = ({ owner, name }: Holder): Target => ({
  id: owner.type === 'platform' ? null : owner.id,
  name,
})

/** The owner as stored in the column `owner`. */
export const ownerKey = (owner: CredentialOwner): string =>
  owner.type === 'platform' ? 'platform' : `${owner.type}:${owner.id}`

/** The columns of an owner; the database checks that they agree. */
export const ownerColumns = (owner: CredentialOwner) => ({
  owner: ownerKey(owner),
  agentId: owner.type === 'agent' ? owner.id : null,
  userId: owner.type === 'user' ? owner.id : null,
})
