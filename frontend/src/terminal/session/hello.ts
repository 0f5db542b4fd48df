/** How a client begins: what stands in its first message. */
import { PROTOCOL_VERSION, type AuthFrame, type WatchFrame } from '@slipway/protocol'
import type { Size } from './frames.ts'

/** A session that lost its socket, and how much of its output was received. */
export interface Held {
  session: string
  /** Everything before it is on the screen; without it the screen has to be shown anew. */
  offset?: number
}

export type FirstFrame = AuthFrame | WatchFrame
/** For somebody whose element has room for `size`. `held` is null the first time. */
export type Hello = (size: Size, held: Held | null) => FirstFrame
/** Gets what the next socket begins with; `fresh`: with another token than before. */
export type Introduce = (fresh: boolean) => Promise<Hello>

export interface OwnSession {
  token: (fresh: boolean) => Promise<string>
  /** What this tab calls itself, so that it can replace its own lost socket. */
  client: string
  /** Takes the session from another tab or device; once, not each time that this one's socket is lost. */
  takeover: boolean
}

/** Somebody's own session with an agent. */
export const introduceOwner =
  ({ token, client, takeover }: OwnSession): Introduce =>
  async (fresh) => {
    const proof = await token(fresh)
    return (size, held) => ({
      type: 'auth',
      v: PROTOCOL_VERSION,
      token: proof,
      ...size,
      client,
      ...(held ?? (takeover && { takeover })),
    })
  }

export interface SharedSession {
  /** The link's secret. */
  link: string
  /** Null for somebody who is not signed in. */
  token: (fresh: boolean) => Promise<string | null>
}

/** Somebody else's session, by a link. */
export const introduceGuest =
  ({ link, token }: SharedSession): Introduce =>
  async (fresh) => {
    const proof = await token(fresh)
    return (_size, held) => ({
      type: 'auth',
      v: PROTOCOL_VERSION,
      link,
      ...(proof !== null && { token: proof }),
      ...held,
    })
  }
