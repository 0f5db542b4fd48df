/** How a call proves that it knows the secret of a webhook. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { HookSource } from '@slipway/protocol'

/** A call as it came. */
export interface Call {
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  /** The secret in the address; empty if there is none. */
  readonly urlSecret: string
}

interface Sender {
  /** What proves the secret, and what it must be. */
  readonly proof: (call: Call) => string
  readonly expected: (secret: string, call: Call) => string
  /** Where the sender names the event. */
  readonly eventHeader: string | null
  /** Names the delivery, the same at each of its attempts; null if the call has no name for it. */
  readonly delivery: (call: Call) => string | null
}

/** Longest name of a delivery, in characters. */
const DELIVERY_MAX = 255

const SENDERS: Readonly<Record<HookSource, Sender>> = {
  github: {
    proof: ({ headers }) => textOf(headers['x-hub-signature-256']),
    expected: (secret, { body }) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    eventHeader: 'x-github-event',
    // The signature covers the body alone. With another `X-GitHub-Delivery`, the same body would still be valid, so a copy of
    // it must not count as another delivery.
    delivery: ({ body }) => createHash('sha256').update(body).digest('hex'),
  },
  gitlab: {
    proof: ({ headers }) => textOf(headers['x-gitlab-token']),
    expected: (secret) => secret,
    eventHeader: 'x-gitlab-event',
    delivery: ({ headers }) => nameOf(headers['idempotency-key'] ?? headers['x-gitlab-event-uuid']),
  },
  url: {
    proof: ({ urlSecret }) => urlSecret,
    expected: (secret) => secret,
    eventHeader: null,
    delivery: ({ headers }) => nameOf(headers['idempotency-key']),
  },
}

/** In a time that does not depend on where they differ. */
export const isProven = (source: HookSource, secret: string, call: Call): boolean => {
  const { proof, expected } = SENDERS[source]
  // Hashed, because only texts of the same length can be compared so.
  const [given, wanted] = [proof(call), expected(secret, call)].map((text) =>
    createHash('sha256').update(text).digest(),
  )
  return given !== undefined && wanted !== undefined && timingSafeEqual(given, wanted)
}

/** The event that the sender names; null if it names none. */
export const eventOf = (source: HookSource, { headers }: Pick<Call, 'headers'>): string | null => {
  const { eventHeader } = SENDERS[source]
  return eventHeader === null ? null : textOf(headers[eventHeader]) || null
}

/** The name of the delivery, the same at each of its attempts; null if the sender does not name it. */
export const deliveryOf = (source: HookSource, call: Call): string | null => SENDERS[source].delivery(call)

/** A header that comes twice counts as none. */
const textOf = (header: string | string[] | undefined): string => (typeof header === 'string' ? header : '')

const nameOf = (header: string | string[] | undefined): string | null => textOf(header).slice(0, DELIVERY_MAX) || null
