/** Encrypts and decrypts what is secret of webhooks. */
import { hookPlace } from '../credentials/secret-key/hook-place.ts'
import type { Keyring, Sealed } from '../credentials/secret-key/keyring.ts'
import type { SecretKeyState } from '../credentials/secret-key/state.ts'

/** What a secret belongs to. `userId` is null for the platform. */
export interface SealedFor {
  readonly id: string
  readonly userId: string | null
}

export class HookVault {
  readonly #keyring: Keyring
  readonly #state: Pick<SecretKeyState, 'keyForWriting'>
  readonly #direction: 'outgoing' | 'incoming'

  constructor(keyring: Keyring, state: Pick<SecretKeyState, 'keyForWriting'>, direction: 'outgoing' | 'incoming') {
    this.#keyring = keyring
    this.#state = state
    this.#direction = direction
  }

  /** `keyId` is the key in force, which no rotation replaces before the row is written. Throws `SECRET_KEY_MISMATCH`. */
  seal(keyId: string | null, hook: SealedFor, text: string): Sealed {
    return this.#keyring.seal(this.#state.keyForWriting(keyId), hookPlace(this.#direction, hook), text)
  }

  /** Null if it was encrypted with another key, or for another webhook. */
  open(row: SealedFor & Sealed): string | null {
    return this.#keyring.open(row, hookPlace(this.#direction, row))
  }
}
