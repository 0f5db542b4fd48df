/** Authenticated encryption of bytes at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/** Bytes of a nonce: what GCM is made for (NIST SP 800-38D, 5.2.1.1). Random ones are safe for 2^32 values under one key. */
const NONCE_BYTES = 12
/** Bytes of the tag: the longest there is. */
const TAG_BYTES = 16
/** Added to what is sealed. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES

/** Nonce, tag, ciphertext. `binding` says where it belongs: with another one it cannot be opened. */
export function seal(key: Uint8Array, binding: Uint8Array, plain: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat(sealInParts(key, binding, plain))
}

/** The same in parts that follow each other, for whoever can write them so: what is long is not copied. */
export function sealInParts(key: Uint8Array, binding: Uint8Array, plain: Uint8Array): Buffer[] {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding)
  const text = [cipher.update(plain), cipher.final()]
  return [nonce, cipher.getAuthTag(), ...text]
}

/** What was sealed; null when it was with another key or binding, or is damaged. Never throws. */
export function unseal(key: Uint8Array, binding: Uint8Array, sealed: Uint8Array): Buffer<ArrayBuffer> | null {
  if (sealed.length < SEAL_BYTES) return null
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(binding).setAuthTag(sealed.subarray(NONCE_BYTES, SEAL_BYTES))
  try {
    return Buffer.concat([decipher.update(sealed.subarray(SEAL_BYTES)), decipher.final()])
  } catch {
    return null
  }
}

/** The same with whichever of the keys it was sealed with: while a rotation is not finished there are two. */
export function unsealWithAny(
  keys: readonly Uint8Array[],
  binding: Uint8Array,
  sealed: Uint8Array,
): Buffer<ArrayBuffer> | null {
  for (const key of keys) {
    const plain = unseal(key, binding, sealed)
    if (plain) return plain
  }
  return null
}
