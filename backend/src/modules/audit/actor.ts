/** The actor of an event in the audit log, with enough data to identify the user after their account is deleted. */
import type { AuditVia } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'

/** Where a request came from. */
export interface Source {
  /** The network address. */
  readonly address: string | null
  /** The id of the request in the log. */
  readonly requestId: string | null
}

/** The user or the platform that does what is recorded. */
export interface Actor {
  /** Null for the platform, and for callers who are not authenticated. */
  readonly userId: string | null
  readonly email: string | null
  /** How the user authenticated; `id` is that of the sign-in, the API token or the key. */
  readonly via: { readonly kind: AuditVia; readonly id: string | null }
  readonly source: Source
}

const NOWHERE: Source = { address: null, requestId: null }

/** The server itself: at its start, or when it ends a user's session. */
export const PLATFORM: Actor = { userId: null, email: null, via: { kind: 'platform', id: null }, source: NOWHERE }

/** A caller who is not authenticated. */
export const stranger = (source: Source): Actor => ({
  userId: null,
  email: null,
  via: { kind: 'none', id: null },
  source,
})

/** Where a request came from. */
export const sourceOf = (request: Pick<FastifyRequest, 'ip' | 'id'>): Source => ({
  address: request.ip,
  requestId: request.id,
})
