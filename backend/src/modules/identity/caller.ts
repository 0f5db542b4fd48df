/** Who makes a request. */
import type { Role, Scope } from '@slipway/protocol'
import { type Actor, PLATFORM, type Source } from '../audit/actor.ts'

/** How the caller authenticated. An API token may do less than its user. */
export type Via =
  | { readonly kind: 'sign_in'; readonly signInId: string }
  /** The user handed in work while signed in. It depends on the user alone, and goes on after they sign out. */
  | { readonly kind: 'user'; readonly userId: string }
  /** Through a chat service. It depends on the link between the user and their account there. */
  | { readonly kind: 'discord'; readonly linkId: string }
  /** With a key of theirs over SSH. What is open by it ends with the connection. */
  | { readonly kind: 'ssh_key'; readonly keyId: string }
  | { readonly kind: 'api_token'; readonly tokenId: string; readonly scopes: readonly Scope[] }

/** Identifies how a caller authenticated, for later checks. */
export interface Proof {
  readonly kind: Via['kind']
  /** The id of the sign-in, the user, the link, the key or the API token. */
  readonly id: string
}

const idOf = (via: Via): string => {
  switch (via.kind) {
    case 'sign_in':
      return via.signInId
    case 'user':
      return via.userId
    case 'discord':
      return via.linkId
    case 'ssh_key':
      return via.keyId
    case 'api_token':
      return via.tokenId
  }
}

export const proofOf = (via: Via): Proof => ({ kind: via.kind, id: idOf(via) })

/** The caller as work holds them that they hand in. An API token still bounds what its work may do. */
export const asHandedIn = (caller: Caller): Caller =>
  caller.via.kind === 'sign_in' ? { ...caller, via: { kind: 'user', userId: caller.userId } } : caller

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

/** The caller as the audit log stores them. What handed-in work does is done by the platform, in the user's name. */
export const actorOf = ({ userId, email, via, source }: Caller): Actor => ({
  userId,
  email,
  via: via.kind === 'user' ? PLATFORM.via : { kind: via.kind, id: idOf(via) },
  source,
})
