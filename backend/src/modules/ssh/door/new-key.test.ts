import ssh2 from 'ssh2'
import { expect, it } from 'vitest'
import { newEd25519Pair } from './new-key.ts'

/** A pair whose private key lacks its first line. */
const spoiled = () => {
  const pair = ssh2.utils.generateKeyPairSync('ed25519')
  return { ...pair, private: pair.private.replace(/\n[^\n]+\n/, '\n') }
}

it('a pair that cannot be read is made again', () => {
  const [bad, good] = [spoiled(), newEd25519Pair()]
  expect(ssh2.utils.parseKey(bad.private)).toBeInstanceOf(Error)
  const pairs = [bad, bad, good]
  expect(newEd25519Pair(() => pairs.shift()!)).toBe(good)
})

it('every pair can be read', () => {
  const keys = Array.from({ length: 500 }, () => ssh2.utils.parseKey(newEd25519Pair().private))
  expect(keys.filter((key) => key instanceof Error)).toEqual([])
})

it('an error is thrown if no pair can be read', () => {
  expect(() => newEd25519Pair(spoiled)).toThrow('no key of SSH')
})
