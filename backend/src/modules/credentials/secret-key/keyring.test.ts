import { describe, expect, it } from 'vitest'
import { Keyring, type SecretPlace } from './keyring.ts'

const OLD = new TextEncoder().encode('the secret of before, long enough ok')
const NEW = new TextEncoder().encode('the secret from now on, long enough.')
const SECRET = 'sk-ant-canary'
const place: SecretPlace = { owner: 'agent:1', kind: 'ai-gateway', address: 'https://gateway.example.org' }

describe('the encryption of credentials', () => {
  const ring = new Keyring(OLD)

  it('gives back what was sealed', () => {
    expect(ring.open(ring.seal(ring.current, place, SECRET), place)).toBe(SECRET)
  })

  it('never makes the same bytes twice, and none that hold the secret', () => {
    const [one, two] = [ring.seal(ring.current, place, SECRET), ring.seal(ring.current, place, SECRET)]
    expect(Buffer.from(one.sealed).equals(two.sealed)).toBe(false)
    expect(Buffer.from(one.sealed).includes(SECRET)).toBe(false)
  })

  it.each([
    ['another owner', { owner: 'agent:2' }],
    ['another kind', { kind: 'anthropic-api-key' }],
    ['another address', { address: 'https://attacker.example.org' }],
    ['no address', { address: null }],
  ])('cannot be opened in the row of %s', (_what, change) => {
    expect(ring.open(ring.seal(ring.current, place, SECRET), { ...place, ...change })).toBeNull()
  })

  it('cannot be opened with one bit changed, or cut off', () => {
    const { keyId, sealed } = ring.seal(ring.current, place, SECRET)
    for (let index = 0; index < sealed.length; index += 1) {
      const damaged = Uint8Array.from(sealed)
      damaged[index]! ^= 1
      expect(ring.open({ keyId, sealed: damaged }, place)).toBeNull()
      expect(ring.open({ keyId, sealed: sealed.slice(0, index) }, place)).toBeNull()
    }
  })

  it('cannot be opened with another key, which is told by the id and by the tag alike', () => {
    const { keyId, sealed } = ring.seal(ring.current, place, SECRET)
    const other = new Keyring(NEW)
    expect(other.open({ keyId, sealed }, place)).toBeNull()
    expect(other.open({ keyId: other.current, sealed }, place)).toBeNull()
    expect(other.current).not.toBe(keyId)
  })

  it('can be opened with the key of before while a rotation goes on', () => {
    const sealed = ring.seal(ring.current, place, SECRET)
    expect(new Keyring(NEW, OLD).open(sealed, place)).toBe(SECRET)
  })
})
