/** Public keys as users paste them: the line of a `.pub` file. */
import { createHash, createPublicKey, type AsymmetricKeyDetails } from 'node:crypto'
import ssh2 from 'ssh2'
import { AppError } from '../../../lib/errors.ts'
import { IN_SECURITY_KEYS, keyInside } from './security-key.ts'

/** A key as it is stored. */
export interface PublicKey {
  /** Its kind and its bytes in base64, without a comment. */
  readonly line: string
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  readonly fingerprint: string
}

/** Shortest RSA key, in bits: as safe as 128 bits of a symmetric key (NIST SP 800-57, table 2). */
const RSA_BITS_MIN = 3072
/** Longest RSA key, in bits: OpenSSH's `SSHBUF_MAX_BIGNUM`. */
const RSA_BITS_MAX = 16_384
/** Smallest exponent that RSA knows (RFC 8017, 3.1). */
const RSA_EXPONENT_MIN = 3n

const KINDS: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
  ...IN_SECURITY_KEYS.keys(),
]

/** How PEM, OpenSSH and PuTTY begin a private key. */
const PRIVATE = /- ?BEGIN [A-Z0-9 ]*PRIVATE KEY|^PuTTY-User-Key-File-/
const MAKE_ANOTHER = 'Make another one: ssh-keygen -t ed25519'

/** Throws `VALIDATION` with a sentence that says what to paste instead. It contains nothing of the text. */
export const readPublicKey = (pasted: string): PublicKey => {
  const text = pasted.trim()
  if (PRIVATE.test(text)) throw refused('This is a private key. Paste the .pub file, and keep this one to yourself.')
  if (text.startsWith('---- BEGIN SSH2 PUBLIC KEY'))
    throw refused('Paste the key as one line. “ssh-keygen -i -f” and the name of the file prints it.')
  if (/[\r\n]/.test(text)) throw refused('Paste one key, as the single line of its .pub file.')
  const [kind = '', base64 = ''] = text.split(/[ \t]+/)
  if (!KINDS.includes(kind)) throw refused(whyNot(kind, text))
  const blob = Buffer.from(base64, 'base64')
  const key = inside(kind, blob)
  // Buffer.from skips what is no base64.
  if (!key || blob.toString('base64') !== base64) throw refused('The key is damaged. Copy the whole line again.')
  if (kind === 'ssh-rsa') checkRsa(key)
  return { line: `${kind} ${base64}`, fingerprint: fingerprintOf(blob) }
}

/** The fingerprint of a key in the form of the protocol: `SHA256:` and its hash in base64 without padding. */
export const fingerprintOf = (blob: Uint8Array): string =>
  `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`

const refused = (message: string): AppError => new AppError('VALIDATION', message)

const whyNot = (kind: string, text: string): string => {
  if (kind === 'ssh-dss') return `DSA keys are not safe any more. ${MAKE_ANOTHER}`
  if (kind.includes('-cert-v01@')) return 'This is a certificate. Paste the .pub file of its key.'
  if (text.split(/[ \t]+/).some((word) => KINDS.includes(word)))
    return 'Paste the key without the options before it: it begins with its kind, such as ssh-ed25519.'
  return 'This is no public key for SSH. Paste the line of a .pub file, which begins with its kind, such as ssh-ed25519.'
}

const checkRsa = ({ modulusLength: bits = 0, publicExponent = 0n }: AsymmetricKeyDetails): void => {
  if (bits < RSA_BITS_MIN)
    throw refused(`RSA keys have ${RSA_BITS_MIN} bits or more, and this one has ${bits}. ${MAKE_ANOTHER}`)
  if (bits > RSA_BITS_MAX) throw refused(`RSA keys have ${RSA_BITS_MAX} bits at most, and this one has ${bits}.`)
  // With 1, every text is its own signature.
  if (publicExponent < RSA_EXPONENT_MIN) throw refused(`This RSA key proves nothing. ${MAKE_ANOTHER}`)
}

/** What Node finds in the key; null if its bytes are not exactly one key of this kind, with a point on its curve. */
const inside = (kind: string, blob: Buffer): AsymmetricKeyDetails | null => {
  const plain = IN_SECURITY_KEYS.has(kind) ? keyInside(kind, blob)?.line : `${kind} ${blob.toString('base64')}`
  if (plain === undefined) return null
  try {
    const parsed = ssh2.utils.parseKey(plain)
    // It ignores what follows the key, and the name of the curve.
    if (parsed instanceof Error || `${parsed.type} ${parsed.getPublicSSH().toString('base64')}` !== plain) return null
    return createPublicKey(parsed.getPublicPEM()).asymmetricKeyDetails ?? null
  } catch {
    return null
  }
}
