/** Authenticated encryption of bytes at rest: AES-256-GCM. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const ALGORITHM = 'aes-256-gcm'
/**
 * Bytes of a nonce, as GCM recommends (NIST SP 800-38D, 5.2.1.1). Random ones are safe for 2^32 values under one key.
 */
const NONCE_BYTES = 12
/** Bytes of the tag: the longest that GCM has. */
const TAG_BYTES = 16
/** By how many bytes sealing makes a value longer. */
export const SEAL_BYTES = NONCE_BYTES + TAG_BYTES

/** Answers nonce, tag and ciphertext. `binding` says where the value belongs; it cannot be opened with another one. */
export function seal(key: Uint8Array, binding: Uint8Array, plain: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.concat(sealInParts(key, binding, plain))
}

/** The same in consecutive parts, for callers who can write them so: a long value is not copied. */
export function sealInParts(key: Uint8Array, binding: Uint8Array, plain: Uint8Array): Buffer[] {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES }).setAAD(binding)
  const text = [cipher.update(plain), cipher.final()]
  return [nonce, cipher.getAuthTag(), ...text]
}

/** The plain value; null if the key or the binding is another one, or if it is damaged. Never throws. */
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

/** The same with the first key that fits: while a key rotation is not finished there are two. */
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
