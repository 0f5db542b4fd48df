import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import ssh2, { type ParsedKey } from 'ssh2'
import { describe, expect, it } from 'vitest'
import { newPair } from '../../../../test/support/ssh/memory-keys.ts'
import { inFields } from '../../identity/ssh-keys/fields.ts'
import { fingerprintOf } from '../../identity/ssh-keys/public-key.ts'
import { isKey, isSignedWith, type OfferedKey, type SshKey } from './keys.ts'

const BLOB = Buffer.from('what the protocol signs')

const pairOf = (type: 'ed25519' | 'rsa'): { stored: SshKey; parsed: ParsedKey } => {
  const made = newPair(type)
  const parsed = ssh2.utils.parseKey(made.private)
  if (parsed instanceof Error) throw parsed
  return { stored: { id: 'key', userId: 'ann', publicKey: made.public.split(' ').slice(0, 2).join(' ') }, parsed }
}
const offerOf = ({ parsed }: { parsed: ParsedKey }, more: Partial<OfferedKey> = {}): OfferedKey => ({
  key: { algo: parsed.type, data: parsed.getPublicSSH() },
  ...more,
})

describe('a key that is offered', () => {
  it('has the fingerprint that OpenSSH prints', () => {
    // From `ssh-keygen -l`.
    const line = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl'
    expect(fingerprintOf(Buffer.from(line, 'base64'))).toBe('SHA256:+DiY3wvvV6TuJJhbpZisF/zLDA0zPMSvHdkr4UvCOqU')
  })

  it('is proven by its own signature alone', () => {
    const [ann, bob] = [pairOf('ed25519'), pairOf('ed25519')]
    const signature = ann.parsed.sign(BLOB)
    expect(isSignedWith(ann.stored, offerOf(ann, { blob: BLOB, signature }))).toBe(true)
    expect(isSignedWith(ann.stored, offerOf(ann))).toBe(false)
    expect(isSignedWith(ann.stored, offerOf(ann, { blob: Buffer.from('another'), signature }))).toBe(false)
    expect(isSignedWith(ann.stored, offerOf(ann, { blob: BLOB, signature: Buffer.from('no signature') }))).toBe(false)
    expect(isSignedWith(ann.stored, offerOf(bob, { blob: BLOB, signature: bob.parsed.sign(BLOB) }))).toBe(false)
  })

  it('signs with SHA-2 where it is RSA', () => {
    const ann = pairOf('rsa')
    const signature = ann.parsed.sign(BLOB, 'sha256')
    expect(isSignedWith(ann.stored, offerOf(ann, { blob: BLOB, signature, hashAlgo: 'sha256' }))).toBe(true)
    expect(isKey(ann.stored, offerOf(ann))).toBe(false)
    expect(isSignedWith(ann.stored, offerOf(ann, { blob: BLOB, signature: ann.parsed.sign(BLOB, 'sha1') }))).toBe(false)
  })

  it('may be in a security key, which a person touches', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
    const algo = 'sk-ssh-ed25519@openssh.com'
    const data = inFields(algo, bytes, 'ssh:')
    const stored = { id: 'key', userId: 'ann', publicKey: `${algo} ${data.toString('base64')}` }
    const sha256 = (text: Buffer | string): Buffer => createHash('sha256').update(text).digest()
    const trailer = Buffer.from([1, 0, 0, 0, 7])
    const signed = sign(null, Buffer.concat([sha256('ssh:'), trailer, sha256(BLOB)]), privateKey)
    const offer = { key: { algo, data }, blob: BLOB, signature: Buffer.concat([signed, trailer]) }
    expect(isSignedWith(stored, offer)).toBe(true)
    expect(isSignedWith(stored, { ...offer, blob: Buffer.from('another') })).toBe(false)
  })

  it('is not what a stored line that is damaged says', () => {
    const ann = pairOf('ed25519')
    expect(isKey({ ...ann.stored, publicKey: 'ssh-ed25519 broken' }, offerOf(ann))).toBe(false)
  })
})
