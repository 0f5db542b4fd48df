/** Rights that were revoked just now. Modules that have something open for a caller listen and close it. */
import { Signal } from '../../lib/emitter.ts'
import type { Caller } from './caller.ts'

/**
 * What was revoked. The revocation of a user covers all of their sign-ins and tokens. A changed password does not,
 * because the sign-in that changed it stays: it comes as one `sign_in` for each of the others.
 */
export type Revocation =
  | {
      readonly kind: 'sign_in'
      readonly signInId: string
      readonly because: 'signed_out' | 'password_changed' | 'token_reused' | 'expired'
    }
  | { readonly kind: 'api_token'; readonly tokenId: string; readonly because: 'revoked' | 'expired' }
  | {
      readonly kind: 'user'
      readonly userId: string
      /**
       * `role_changed` also stands for a higher role: what is open was opened with other rights than the user has now.
       */
      readonly because: 'disabled' | 'deleted' | 'role_changed'
    }

/** Emits after the database row has changed and before the request that changed it is answered. */
export type Revocations = Signal<Revocation>

/** `onError` gets the error of a listener that threw; the other listeners are called all the same. */
export function createRevocations(onError: (error: unknown) => void): Revocations {
  return new Signal<Revocation>(onError)
}

/** Whether it revokes a right of this caller. */
export function concerns(revocation: Revocation, { via, userId }: Caller): boolean {
  switch (revocation.kind) {
    case 'sign_in':
      return via.kind === 'sign_in' && via.signInId === revocation.signInId
    case 'api_token':
      return via.kind === 'api_token' && via.tokenId === revocation.tokenId
    case 'user':
      return userId === revocation.userId
  }
}

const SIGN_IN = {
  signed_out: 'You were signed out. Sign in again to go on.',
  password_changed: 'Your password was changed elsewhere. Sign in again to go on.',
  token_reused: 'Another person may have used your sign-in, so it was ended. Sign in again to go on.',
  expired: 'Your sign-in has expired. Sign in again to go on.',
} as const
const API_TOKEN = { revoked: 'This API token was revoked.', expired: 'This API token has expired.' } as const
const USER = {
  disabled: 'Your account was disabled. An admin can enable it again.',
  deleted: 'Your account was deleted.',
  role_changed: 'Your role was changed.',
} as const

/** The sentence for the user who loses the right. It fits into a WebSocket's close reason (123 bytes). */
export function sentenceFor(revocation: Revocation): string {
  switch (revocation.kind) {
    case 'sign_in':
      return SIGN_IN[revocation.because]
    case 'api_token':
      return API_TOKEN[revocation.because]
    case 'user':
      return USER[revocation.because]
  }
}
