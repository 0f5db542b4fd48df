import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inFields } from './fields.ts'
import { readPublicKey } from './public-key.ts'
import { isSignedInSecurityKey } from './security-key.ts'

const APPLICATION = 'ssh:'
const sha256 = (bytes: Uint8Array | string): Buffer => createHash('sha256').update(bytes).digest()
const number = (bytes: Buffer): Buffer => {
  const start = bytes.findIndex((byte) => byte !== 0)
  const short = bytes.subarray(start)
  return (short[0] ?? 0) < 0x80 ? short : Buffer.concat([Buffer.alloc(1), short])
}

/** A security key in software: what it signs is what the description of the protocol says. */
interface Authenticator {
  readonly line: string
  readonly sign: (signed: Uint8Array, given?: { flags?: number; application?: string }) => Buffer
}

const signer =
  (bytesOf: (message: Buffer) => Buffer): Authenticator['sign'] =>
  (signed, { flags = 1, application = APPLICATION } = {}) => {
    const trailer = Buffer.from([flags, 0, 0, 0, 7])
    return Buffer.concat([bytesOf(Buffer.concat([sha256(application), trailer, sha256(signed)])), trailer])
  }

const point = (key: KeyObject): Buffer => {
  const { x = '', y = '' } = key.export({ format: 'jwk' })
  return Buffer.concat([Buffer.from([4]), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')])
}

const ed25519 = (): Authenticator => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const kind = 'sk-ssh-ed25519@openssh.com'
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return {
    line: `${kind} ${inFields(kind, bytes, APPLICATION).toString('base64')}`,
    sign: signer((message) => sign(null, message, privateKey)),
  }
}

const ecdsa = (): Authenticator => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const kind = 'sk-ecdsa-sha2-nistp256@openssh.com'
  return {
    line: `${kind} ${inFields(kind, 'nistp256', point(publicKey), APPLICATION).toString('base64')}`,
    sign: signer((message) => {
      const both = sign('sha256', message, { key: privateKey, dsaEncoding: 'ieee-p1363' })
      return inFields(number(both.subarray(0, 32)), number(both.subarray(32)))
    }),
  }
}

describe.each([
  ['Ed25519', ed25519],
  ['ECDSA', ecdsa],
])('a key in a security key, of the kind %s', (_kind, make) => {
  it('is a key that users may add', () => {
    const { line } = make()
    expect(readPublicKey(`${line} ada@laptop`).line).toBe(line)
  })

  it('has signed what it has signed, however long the numbers of the signature are', () => {
    const key = make()
    // Of 500 signatures with P-256, some have a number that begins with a zero.
    for (let turn = 0; turn < 500; turn++) {
      const signed = randomBytes(40)
      expect(isSignedInSecurityKey(key.line, signed, key.sign(signed))).toBe(true)
    }
  })

  it('has signed nothing else', () => {
    const [key, signed] = [make(), Buffer.from('a request')]
    const signature = key.sign(signed)
    const without = (bytes: number): Buffer => signature.subarray(0, signature.length - bytes)
    expect(isSignedInSecurityKey(key.line, Buffer.from('another request'), signature)).toBe(false)
    expect(isSignedInSecurityKey(make().line, signed, signature)).toBe(false)
    expect(isSignedInSecurityKey(key.line, signed, key.sign(signed, { flags: 0 })), 'untouched').toBe(false)
    expect(isSignedInSecurityKey(key.line, signed, key.sign(signed, { application: 'https://x' }))).toBe(false)
    for (const bytes of [1, 5, 6, signature.length])
      expect(isSignedInSecurityKey(key.line, signed, without(bytes))).toBe(false)
    const raised = Buffer.from(signature)
    raised[raised.length - 1] = 8
    expect(isSignedInSecurityKey(key.line, signed, raised), 'another counter').toBe(false)
  })
})

it('a plain key is none in a security key', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const bytes = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  const line = `ssh-ed25519 ${inFields('ssh-ed25519', bytes).toString('base64')}`
  const signed = Buffer.from('a request')
  expect(isSignedInSecurityKey(line, signed, sign(null, signed, privateKey))).toBe(false)
})
