/** A client's first message. */
import { PROTOCOL_VERSION, type AuthFrame, type WatchFrame } from '@slipway/protocol'
import type { Size } from './frames.ts'

/** A session whose socket was lost, and how much of its output has arrived. */
export interface Held {
  session: string
  /** All output before this offset is on the screen. Without it, the server has to send a snapshot. */
  offset?: number
}

export type FirstFrame = AuthFrame | WatchFrame
/** `size` is what fits into the element. `held` is null at the first connection. */
export type Hello = (size: Size, held: Held | null) => FirstFrame
/** Builds the first message of the next socket. `fresh` asks for another token than before. */
export type Introduce = (fresh: boolean) => Promise<Hello>

export interface OwnSession {
  token: (fresh: boolean) => Promise<string>
  /** Id of this tab, so that it can replace its own lost socket. */
  client: string
  /** Takes the session from another tab or device. This applies once, not again after each lost socket. */
  takeover: boolean
}

/** Introduces a user to their own session with an agent. */
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

/** How a guest is let in: by the secret of a link, or to a session by their access to its agent. */
export type Admission = { link: string } | { terminal: string }

export type SharedSession = Admission & {
  /** Null for a guest who is not signed in. */
  token: (fresh: boolean) => Promise<string | null>
}

/** Introduces a guest to another user's session. */
export const introduceGuest =
  ({ token, ...admission }: SharedSession): Introduce =>
  async (fresh) => {
    const proof = await token(fresh)
    return (_size, held) => ({
      type: 'auth',
      v: PROTOCOL_VERSION,
      ...admission,
      ...(proof !== null && { token: proof }),
      ...held,
    })
  }
