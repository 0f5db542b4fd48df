/** Messages to people who have no page open: pushes to their browsers, and mail. */
import Type, { type Static } from 'typebox'
import { Nullable, Timestamp } from '../common.ts'

/** Browsers in which one user may get pushes. */
export const PUSH_DEVICES_MAX = 20
/** Longest address at a push service, in characters. The longest known ones have about 800. */
const ENDPOINT_MAX = 1000

/** A browser in which a user gets pushes. */
export const PushDevice = Type.Object({
  id: Type.String(),
  /** The browser and its system, as it names itself. */
  name: Type.String(),
  /** Whether the request's own sign-in added it. */
  current: Type.Boolean(),
  createdAt: Timestamp,
  /** When the last push was delivered to its push service; null: none yet. */
  sentAt: Nullable(Timestamp),
})
export type PushDevice = Static<typeof PushDevice>

/** A browser's subscription, as its `PushSubscription` has it. */
export const AddPushDevice = Type.Object(
  {
    endpoint: Type.String({ maxLength: ENDPOINT_MAX, pattern: '^https://[!-~]+$' }),
    /** A point of P-256, uncompressed, as base64url. */
    p256dh: Type.String({ pattern: '^B[A-Za-z0-9_-]{86}$' }),
    /** 16 bytes as base64url. */
    auth: Type.String({ pattern: '^[A-Za-z0-9_-]{22}$' }),
  },
  { additionalProperties: false },
)
export type AddPushDevice = Static<typeof AddPushDevice>

/** Where a user's messages can go. */
export const Channels = Type.Object({
  /** With which browsers subscribe (RFC 8292), as base64url. Null: the server's secret key is not the right one. */
  publicKey: Nullable(Type.String()),
  /** Oldest first. */
  devices: Type.Array(PushDevice),
  /** Whether the server can send mail. */
  mail: Type.Boolean(),
})
export type Channels = Static<typeof Channels>

/** What became of a push at once. */
export const PushTest = Type.Object({
  /** Null: the push service took it. */
  error: Nullable(Type.String()),
})
export type PushTest = Static<typeof PushTest>

/** What is pushed, encrypted, as JSON. The service worker of the page reads it. */
export interface PushMessage {
  readonly title: string
  readonly body: string
  /** A notification replaces an earlier one with the same tag. */
  readonly tag: string
  /** The page that a tap opens, as a path. */
  readonly path: string
  /** Buttons: each opens a page of its own. At most two. */
  readonly actions: readonly { readonly action: string; readonly title: string; readonly path: string }[]
}

/** Most questions that a page says it shows. A screen has room for fewer. */
const LOOKED_AT_MAX = 100

/**
 * A message of a page to `WS /api/events`: the open questions, and the sessions of the terminals that wait, which are in its
 * user's sight. It replaces the last one.
 * From an API token it counts for nothing.
 */
export const LookedAt = Type.Object(
  {
    type: Type.Literal('dialogs:looked-at'),
    ids: Type.Array(Type.String({ maxLength: 36 }), { maxItems: LOOKED_AT_MAX }),
  },
  { additionalProperties: false },
)
export type LookedAt = Static<typeof LookedAt>
