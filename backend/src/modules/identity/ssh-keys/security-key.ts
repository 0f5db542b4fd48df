/**
 * Keys in a security key, which signs only when a person touches it. ssh2 knows neither these keys nor their signatures.
 * `PROTOCOL.u2f` of OpenSSH describes both.
 */
import { createHash, createPublicKey, verify } from 'node:crypto'
import ssh2 from 'ssh2'
import { fieldsOf, inFields } from './fields.ts'

/** Each kind, with the kind of the plain key inside. */
export const IN_SECURITY_KEYS: ReadonlyMap<string, string> = new Map([
  ['sk-ssh-ed25519@openssh.com', 'ssh-ed25519'],
  ['sk-ecdsa-sha2-nistp256@openssh.com', 'ecdsa-sha2-nistp256'],
])

/** A plain key, and for what the security key signs with it. */
export interface KeyInside {
  /** Its kind and its bytes in base64. */
  readonly line: string
  readonly application: Buffer
}

/** Null if the bytes are not a key of this kind. Whether the key inside is sound is not looked at. */
export const keyInside = (kind: string, blob: Buffer): KeyInside | null => {
  const plainKind = IN_SECURITY_KEYS.get(kind)
  const fields = fieldsOf(blob)
  const [name, application] = [fields?.at(0), fields?.at(-1)]
  if (plainKind === undefined || !fields || fields.length < 3 || !name || !application?.length) return null
  if (name.toString('latin1') !== kind) return null
  const plain = inFields(plainKind, ...fields.slice(1, -1))
  return { line: `${plainKind} ${plain.toString('base64')}`, application }
}

/** Bytes after a signature: its flags, and how often the security key has signed. */
const TRAILER_BYTES = 5
/** The flag of a person's touch. */
const TOUCHED = 0x01
/** Bytes of each of the two numbers of a signature with P-256. */
const NUMBER_BYTES = 32

/**
 * Whether a security key has signed `signed` with this key, touched by a person.
 *
 * @param line as it is stored
 * @param signature as ssh2 hands it over: without the name of its kind
 */
export const isSignedInSecurityKey = (line: string, signed: Uint8Array, signature: Buffer): boolean => {
  const [kind = '', base64 = ''] = line.split(' ')
  const inside = keyInside(kind, Buffer.from(base64, 'base64'))
  const key = inside && ssh2.utils.parseKey(inside.line)
  const trailer = signature.subarray(-TRAILER_BYTES)
  if (!key || key instanceof Error || trailer.length < TRAILER_BYTES) return false
  if (((trailer[0] ?? 0) & TOUCHED) === 0) return false
  const bytes = signature.subarray(0, -TRAILER_BYTES)
  const message = Buffer.concat([sha256(inside.application), trailer, sha256(signed)])
  const publicKey = createPublicKey(key.getPublicPEM())
  if (key.type === 'ssh-ed25519') return verify(null, message, publicKey, bytes)
  const numbers = fieldsOf(bytes)?.map(inNumberBytes)
  if (numbers?.length !== 2 || numbers.some((number) => number === null)) return false
  const both = Buffer.concat(numbers.filter((number) => number !== null))
  return verify('sha256', message, { key: publicKey, dsaEncoding: 'ieee-p1363' }, both)
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest()

/** A number of the protocol, which has a zero before a set highest bit and none otherwise, in as many bytes as the curve has. */
const inNumberBytes = (number: Buffer): Buffer | null => {
  const bytes = number[0] === 0 ? number.subarray(1) : number
  if (bytes.length > NUMBER_BYTES) return null
  return Buffer.concat([Buffer.alloc(NUMBER_BYTES - bytes.length), bytes])
}
