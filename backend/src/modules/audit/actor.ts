/** Who did something, as the audit log knows them: enough to be told apart when the user is long deleted. */
import type { AuditVia } from '@slipway/protocol'
import type { FastifyRequest } from 'fastify'

/** Where a request comes from. */
export interface Source {
  /** The network address. */
  readonly address: string | null
  /** The request's id in the log. */
  readonly requestId: string | null
}

/** Whoever does something that is recorded. */
export interface Actor {
  /** Null for the platform, and for whoever did not prove who they are. */
  readonly userId: string | null
  readonly email: string | null
  /** How they had proven it; `id` is that of the sign-in or the API token. */
  readonly via: { readonly kind: AuditVia; readonly id: string | null }
  readonly source: Source
}

const NOWHERE: Source = { address: null, requestId: null }

/** What the server does by itself: at its start, or for a person whose session it ends. */
export const PLATFORM: Actor = { userId: null, email: null, via: { kind: 'platform', id: null }, source: NOWHERE }

/** Somebody who has not proven who they are. */
export const stranger = (source: Source): Actor => ({
  userId: null,
  email: null,
  via: { kind: 'none', id: null },
  source,
})

/** Where a request comes from. */
export const sourceOf = (request: Pick<FastifyRequest, 'ip' | 'id'>): Source => ({
  address: request.ip,
  requestId: request.id,
})
