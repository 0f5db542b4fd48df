/** Encryption of credentials: AES-256-GCM with keys derived from the installation's secret. */
import { seal, unseal } from '../../../lib/secrets/sealing.ts'
import { deriveKey } from '../../../lib/secrets/secrets.ts'

const ENCRYPTION_LABEL = 'slipway credentials v1'
const ID_LABEL = 'slipway secret key id v1'
/** Characters of a key's id. Its 64 bits distinguish the few keys of an installation, and reveal nothing about them. */
const ID_LENGTH = 16

/** The place of a secret. It can be decrypted only there, so that an attacker cannot exchange rows. */
export interface SecretPlace {
  readonly owner: string
  readonly kind: string
  readonly address: string | null
}

/** A secret as stored. */
export interface Sealed {
  readonly keyId: string
  /** Nonce, tag, ciphertext. */
  readonly sealed: Uint8Array<ArrayBuffer>
}

/** The server's keys: the current one and, during a rotation, the previous one. */
export class Keyring {
  /** Id of the newest key. */
  readonly current: string
  readonly #keys = new Map<string, Buffer>()

  /** @param previous the secret before a rotation, until the rotation is complete */
  constructor(secretKey: Uint8Array, previous: Uint8Array | null = null) {
    if (previous) this.#add(previous)
    this.current = this.#add(secretKey)
  }

  has(keyId: string): boolean {
    return this.#keys.has(keyId)
  }

  /** Encrypts with a key of this keyring. */
  seal(keyId: string, place: SecretPlace, secret: string): Sealed {
    const key = this.#keys.get(keyId)
    if (!key) throw new Error('there is no such key')
    return { keyId, sealed: Uint8Array.from(seal(key, bindingOf(keyId, place), Buffer.from(secret, 'utf8'))) }
  }

  /** The secret; null if it was encrypted with another key or for another place, or is damaged. Never throws. */
  open({ keyId, sealed }: Sealed, place: SecretPlace): string | null {
    const key = this.#keys.get(keyId)
    return key ? (unseal(key, bindingOf(keyId, place), sealed)?.toString('utf8') ?? null) : null
  }

  #add(secretKey: Uint8Array): string {
    const id = deriveKey(secretKey, ID_LABEL).toString('hex').slice(0, ID_LENGTH)
    this.#keys.set(id, deriveKey(secretKey, ENCRYPTION_LABEL))
    return id
  }
}

/** The authenticated data. JSON, so that no two places have the same bytes. */
function bindingOf(keyId: string, { owner, kind, address }: SecretPlace): Buffer {
  return Buffer.from(JSON.stringify(['slipway credential', keyId, owner, kind, address]))
}
