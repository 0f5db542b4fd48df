import { CloseCode, LINK_NEEDS_SIGN_IN, LINK_REFUSED } from '@slipway/protocol'
import { explainEnd, type Explanation } from './ends.ts'
import type { SessionEnd } from './session.ts'

/**
 * Explains an end to a guest. The session is another user's, so the guest can only retry the connection. Null if the
 * guest asked for the end. `byLink`: they came by a link, and not by their access to the agent.
 */
export function explainGuestEnd(end: SessionEnd, program: string, byLink = true): Explanation | null {
  const { frame, code } = end
  if (end.by !== 'server') return null
  if (frame?.message === LINK_NEEDS_SIGN_IN) {
    return { tone: 'neutral', title: LINK_NEEDS_SIGN_IN, detail: null, wayOut: 'sign-in' }
  }
  if (frame?.message === LINK_REFUSED) {
    return {
      tone: 'warning',
      title: 'You cannot open this terminal.',
      detail: byLink
        ? 'The link may have expired, or the terminal has ended.'
        : 'It may have ended, or you have no access to its agent.',
      wayOut: 'none',
    }
  }
  if (byLink && frame?.reason === 'access_revoked' && code === CloseCode.FORBIDDEN) {
    return {
      tone: 'warning',
      title: 'This link no longer works.',
      detail: 'It was revoked or has expired.',
      wayOut: 'none',
    }
  }
  if (frame?.reason === 'disconnected') {
    return { tone: 'neutral', title: 'The terminal was closed.', detail: null, wayOut: 'none' }
  }
  const why = explainEnd(end, program)
  if (why === null || why.wayOut === 'sign-in') return why
  // After an internal error the server may recover soon.
  const isOver = code !== CloseCode.INTERNAL && (frame !== null || code === CloseCode.NORMAL)
  return {
    ...why,
    detail: code === CloseCode.FORBIDDEN || (isOver && frame?.reason === 'exited') ? null : why.detail,
    wayOut: isOver ? 'none' : 'connect',
  }
}
