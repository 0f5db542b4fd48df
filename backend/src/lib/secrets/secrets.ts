/** Random secrets, the hashes that the database stores of them, and keys derived from the secret key. */
import { createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'

/**
 * Size of every secret that we hand out, in bytes. 256 bits cannot be guessed, so a fast hash suffices for storing it.
 */
const SECRET_BYTES = 32

/** A new secret of 256 bits as 43 characters that need no escaping in a URL or a cookie. */
export function newSecret(): string {
  return randomBytes(SECRET_BYTES).toString('base64url')
}

/** SHA-256 in hexadecimal: what the database holds of a secret. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares two hashes in a time that does not depend on where they differ. */
export function sameHash(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * A key of 256 bits for one purpose (HKDF-SHA-256, RFC 5869). The key of one `label` reveals nothing about those of
 * others.
 */
export function deriveKey(secretKey: Uint8Array, label: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secretKey, Buffer.alloc(0), label, SECRET_BYTES))
}
