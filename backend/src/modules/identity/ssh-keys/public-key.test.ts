import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AppError } from '../../../lib/errors.ts'
import { presentServer } from './address.ts'
import { inFields } from './fields.ts'
import { readPublicKey } from './public-key.ts'

/** Keys of `ssh-keygen`, with the fingerprints of `ssh-keygen -l`. */
const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINTBirdxdUZasPvhTCt+ZYE76nJ36PnVqTqW5ahRrQec'
const MADE: readonly (readonly [line: string, fingerprint: string])[] = [
  [ED25519, 'SHA256:H50laaHn+MPIlXNrv69RwONAUnb9dBCMatRaLIpWW6Q'],
  [
    'ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBBuT/JehFBTm/1vGS5KjYt8rOJI3TGNgs+bnTbGEuamaWyKjYvrQOswK1TfPJPftBxx4tR8dnHBmWSq/wxCrx7I=',
    'SHA256:8AxOxhQSUHqDDIo6Oqz7EKIG3gAuYa6oxukHsnVDid8',
  ],
  [
    'ecdsa-sha2-nistp384 AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBIMg3FYcmtJ9Fp5LzzPtEqG970N6SQYj3Rha3vyiuN+3o0rcCNUESo+mNBT3ENtyuphKvWD1QCWN2eF3SxMORa7iebW0MeSOfY2H6Q203JpYBFGQbcihnk546qrYda7eUw==',
    'SHA256:ZYkkIyoS9HMV4RcogdK2ovRvNBJ0woxVjgpxmnZEhL0',
  ],
  [
    'ecdsa-sha2-nistp521 AAAAE2VjZHNhLXNoYTItbmlzdHA1MjEAAAAIbmlzdHA1MjEAAACFBAFMm6PBhhIbX4WLkiYk1YofDIsmQj2jVOUJkJOQKasRFRhBy8jpBcQ01f4+T5GJWjXY73Eb4v/RBRd16C5rbBpfqAAD2dHnqq7ZirvdmACx2HQWo2ZNAgV1bUQQFxVB0uTofSjlha58RAjGIzJYYg3mpqeEoUnqyoGULZnYOmflp1cndg==',
    'SHA256:cCewIKzjAlAdM89ThPx3I0+AboViUv//jcP5z2DlcX0',
  ],
]

/** A key of these fields, of which the first is its kind. */
const lineOf = (kind: string, ...fields: (Uint8Array | string)[]): string =>
  `${kind} ${inFields(kind, ...fields).toString('base64')}`
/** An RSA key with a modulus of this length. That it is no product of primes does not show. */
const rsa = (bits: number, exponent = [1, 0, 1]): string =>
  lineOf('ssh-rsa', Buffer.from(exponent), Buffer.concat([Buffer.alloc(1), Buffer.alloc(bits / 8, 0xff)]))

const bytes = (size: number): Buffer => Buffer.alloc(size, 7)
/** A point of P-256, and bytes that are none. */
const POINT = Buffer.from(MADE[1]?.[0].split(' ')[1] ?? '', 'base64').subarray(-65)
const NO_POINT = Buffer.concat([Buffer.from([4]), bytes(64)])

const refusal = (text: string): string => {
  try {
    readPublicKey(text)
  } catch (error) {
    if (error instanceof AppError && error.code === 'VALIDATION') return error.message
    throw error
  }
  return ''
}

describe('a public key', () => {
  it.each(MADE)('%s has the fingerprint that OpenSSH prints', (line, fingerprint) => {
    expect(readPublicKey(line)).toEqual({ line, fingerprint })
  })

  it('is stored without its comment and the space around it', () => {
    for (const pasted of [`${ED25519} ada@laptop`, `\n ${ED25519}\tmy key of "May" \r\n`])
      expect(readPublicKey(pasted).line).toBe(ED25519)
  })

  it.each([
    rsa(3072),
    rsa(16_384),
    lineOf('sk-ssh-ed25519@openssh.com', bytes(32), 'ssh:'),
    lineOf('sk-ecdsa-sha2-nistp256@openssh.com', 'nistp256', POINT, 'ssh:slipway'),
  ])('may be in a security key, or a long RSA key: %s', (line) => {
    expect(readPublicKey(line).line).toBe(line)
  })

  it.each([
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ...['OPENSSH ', 'RSA ', 'EC ', 'ENCRYPTED '].map((kind) => `-----BEGIN ${kind}PRIVATE KEY-----\nAAAA`),
    '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nAAAA',
    'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none',
  ])('is not a private key, and the refusal has nothing of it: %s', (pasted) => {
    const message = refusal(pasted)
    expect(message).toBe('This is a private key. Paste the .pub file, and keep this one to yourself.')
  })

  it.each([
    [rsa(2048), 'RSA keys have 3072 bits or more, and this one has 2048.'],
    [rsa(16_392), 'RSA keys have 16384 bits at most, and this one has 16392.'],
    [rsa(3072, [1]), 'This RSA key proves nothing.'],
    [lineOf('ssh-dss', bytes(8), bytes(8), bytes(8), bytes(8)), 'DSA keys are not safe any more.'],
    [lineOf('ssh-ed25519-cert-v01@openssh.com', bytes(32)), 'This is a certificate.'],
    [`from="10.0.0.0/8",command="sh" ${ED25519}`, 'without the options'],
    [`${ED25519}\n${rsa(3072)}`, 'Paste one key'],
    ['---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----', 'ssh-keygen -i -f'],
    ['ssh-ed448 AAAA', 'This is no public key for SSH.'],
    ['', 'This is no public key for SSH.'],
  ])('%s is refused with what to do', (pasted, message) => {
    expect(refusal(pasted)).toContain(message)
  })

  it.each([
    ['without its bytes', 'ssh-ed25519'],
    ['cut off', ED25519.slice(0, -8)],
    ['with more bytes than a key has', lineOf('ssh-ed25519', bytes(32), 'more')],
    ['with too few', lineOf('ssh-ed25519', bytes(31))],
    ['with a character that is no base64', ED25519.replace('AAAC3', 'AA*C3')],
    ['with the kind of another', ED25519.replace('ssh-ed25519', 'ssh-rsa')],
    ['with a point that is not on its curve', lineOf('ecdsa-sha2-nistp256', 'nistp256', NO_POINT)],
    ['of another curve than it says', lineOf('ecdsa-sha2-nistp256', 'nistp384', POINT)],
    ['in a security key without an application', lineOf('sk-ssh-ed25519@openssh.com', bytes(32), '')],
    ['in a security key that is a plain one', ED25519.replace('ssh-ed25519', 'sk-ssh-ed25519@openssh.com')],
  ])('%s is damaged', (_what, pasted) => {
    expect(refusal(pasted)).toBe('The key is damaged. Copy the whole line again.')
  })

  it('of any bytes is read or refused', () => {
    const kinds = [...MADE.map(([line]) => line.split(' ')[0] ?? ''), 'ssh-rsa', 'sk-ssh-ed25519@openssh.com']
    const fields = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 4 })
    fc.assert(
      fc.property(fc.constantFrom(...kinds), fields, (kind, rest) => {
        const line = lineOf(kind, ...rest)
        const message = refusal(line)
        if (message === '') expect(readPublicKey(line).line).toBe(line)
      }),
    )
  })
})

describe('the address of the server', () => {
  const server = { host: 'slipway.example.org', port: 4722, hostKey: `${ED25519} slipway` }

  it('has the fingerprint of its key, and the line for known_hosts', () => {
    expect(presentServer(server).address).toEqual({
      host: 'slipway.example.org',
      port: 4722,
      fingerprint: MADE[0]?.[1],
      knownHosts: `[slipway.example.org]:4722 ${ED25519}`,
    })
  })

  it('may be one of IPv6, whose brackets are in known_hosts alone', () => {
    const { address } = presentServer({ ...server, host: '[::1]' })
    expect([address?.host, address?.knownHosts]).toEqual(['::1', `[::1]:4722 ${ED25519}`])
  })

  it('names no port where it is the usual one, and is missing while SSH is off', () => {
    expect(presentServer({ ...server, port: 22 }).address?.knownHosts).toBe(`slipway.example.org ${ED25519}`)
    expect(presentServer(null)).toEqual({ address: null })
  })
})
