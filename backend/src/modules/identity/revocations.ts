/** Rights that were taken away just now. Whoever holds something open for a caller listens and closes it. */
import { Signal } from '../../lib/emitter.ts'

/**
 * What was taken from whom. A user's revocation covers all of their sign-ins and tokens; a changed password does not,
 * since it leaves the sign-in that changed it: it comes as one of `sign_in` for each of the others.
 */
export type Revocation =
  | {
      readonly kind: 'sign_in'
      readonly signInId: string
      readonly because: 'signed_out' | 'password_changed' | 'token_reused'
    }
  | { readonly kind: 'api_token'; readonly tokenId: string }
  | {
      readonly kind: 'user'
      readonly userId: string
      /** `role_changed` only when the new role may do less. */
      readonly because: 'disabled' | 'deleted' | 'role_changed'
    }

/** Emits after the row in the database is changed and before the request that did it is answered. */
export type Revocations = Signal<Revocation>

/** `onError` hears of a listener that threw; the others were told all the same. */
export function createRevocations(onError: (error: unknown) => void): Revocations {
  return new Signal<Revocation>(onError)
}
