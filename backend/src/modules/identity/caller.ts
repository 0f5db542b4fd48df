/** Who makes a request. */
import type { Role, Scope } from '@slipway/protocol'
import type { Actor, Source } from '../audit/actor.ts'

/** How the caller authenticated. An API token may do less than its user. */
export type Via =
  | { readonly kind: 'sign_in'; readonly signInId: string }
  | { readonly kind: 'api_token'; readonly tokenId: string; readonly scopes: readonly Scope[] }

/** Identifies how a caller authenticated, for later checks. */
export interface Proof {
  readonly kind: Via['kind']
  /** The id of the sign-in or the API token. */
  readonly id: string
}

export const proofOf = (via: Via): Proof => ({
  kind: via.kind,
  id: via.kind === 'sign_in' ? via.signInId : via.tokenId,
})

export const isSameProof = (one: Via, other: Via): boolean => {
  const [first, second] = [proofOf(one), proofOf(other)]
  return first.kind === second.kind && first.id === second.id
}

/** A user who was authenticated and not disabled when the request came. */
export interface Caller {
  readonly userId: string
  readonly email: string
  readonly role: Role
  readonly via: Via
  /** The request or socket that they use. */
  readonly source: Source
}

/** The caller as the audit log stores them. */
export const actorOf = ({ userId, email, via, source }: Caller): Actor => ({
  userId,
  email,
  via: proofOf(via),
  source,
})
