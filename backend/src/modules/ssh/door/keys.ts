/** The keys with which people prove who they are: what this module asks of those who keep them, and how a proof is checked. */
import ssh2, { type PublicKeyAuthContext } from 'ssh2'
import { IN_SECURITY_KEYS, isSignedInSecurityKey } from '../../identity/ssh-keys/security-key.ts'

/** A public key of a user. */
export interface SshKey {
  readonly id: string
  readonly userId: string
  /** One line as OpenSSH writes it, without a comment. */
  readonly publicKey: string
}

/** Where the keys of users are kept. */
export interface SshKeys {
  /** The key with this fingerprint, as `fingerprintOf` of `identity/ssh-keys` writes it; null if no user has it. */
  find(fingerprint: string): Promise<SshKey | null>
  /** Notes that a connection was opened with a key. */
  used(id: string, at: Date): Promise<void>
  /** Adds a listener that is called with the id of each key that is removed, after the row is gone. */
  onRemoved(listener: (id: string) => void): void
}

/** A key as a client offers it, and with a signature also the proof that the client has its private half. */
export type OfferedKey = Pick<PublicKeyAuthContext, 'key' | 'signature' | 'blob' | 'hashAlgo'>

/** Whether the offer is this key, with an algorithm that is still good: RSA signs with SHA-2 only. */
export const isKey = ({ publicKey }: SshKey, { key, hashAlgo }: OfferedKey): boolean => {
  const [kind, bytes = ''] = publicKey.split(' ')
  if (kind !== key.algo || !Buffer.from(bytes, 'base64').equals(key.data)) return false
  return kind !== 'ssh-rsa' || hashAlgo !== undefined
}

/** Whether the client has signed with this key. False without a signature. */
export const isSignedWith = (stored: SshKey, offer: OfferedKey): boolean => {
  const { blob, signature, hashAlgo } = offer
  if (blob === undefined || signature === undefined || !isKey(stored, offer)) return false
  if (IN_SECURITY_KEYS.has(offer.key.algo)) return isSignedInSecurityKey(stored.publicKey, blob, signature)
  // Types say that it never answers an error, but it does for a signature that cannot be read.
  const verdict: unknown = parsed(stored.publicKey)?.verify(blob, signature, hashAlgo)
  return verdict === true
}

const parsed = (line: string) => {
  const key = ssh2.utils.parseKey(line)
  return key instanceof Error || Array.isArray(key) ? null : key
}
