import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { HeldInput } from './input.ts'

const setUp = ({ window = 1000, typing = 0 }: { window?: number | null; typing?: number } = {}) => {
  const sent: Uint8Array[] = []
  const flushed: (() => void)[] = []
  let drains = 0
  const input = new HeldInput({
    window,
    typing,
    send: (bytes, done) => {
      sent.push(bytes)
      flushed.push(done)
    },
  })
  input.onDrain(() => (drains += 1))
  return { input, flushed, sent: () => Buffer.concat(sent), drains: () => drains }
}

it('sends no more than the program takes, and all of it in order', () => {
  const { input, sent, drains } = setUp()
  const bytes = randomBytes(4_500)
  expect(input.push(bytes.subarray(0, 900))).toBe(true)
  expect(input.push(bytes.subarray(900, 4_000))).toBe(false)
  expect(input.push(bytes.subarray(4_000))).toBe(false)
  for (let taken = 0; taken < 3_500; taken += 700) {
    expect(sent()).toEqual(bytes.subarray(0, taken + 1_000))
    expect(drains()).toBe(0)
    input.took(taken + 700)
  }
  expect([sent().equals(bytes), drains()]).toEqual([true, 1])
  input.took(4_500)
  expect(input.push(Buffer.from('x'))).toBe(true)
})

it('counts what somebody typed who was attached before', () => {
  const { input, sent } = setUp({ typing: 990 })
  expect(input.push(Buffer.alloc(20))).toBe(false)
  expect(sent()).toHaveLength(10)
  input.took(990)
  expect(sent()).toHaveLength(20)
})

it('goes by its socket where the holder does not say what was taken', () => {
  const { input, flushed, sent, drains } = setUp({ window: null })
  expect(input.push(Buffer.alloc(200_000))).toBe(false)
  expect(sent()).toHaveLength(65_536)
  while (flushed.length > 0) flushed.shift()!()
  expect([sent().length, drains()]).toEqual([200_000, 1])
})

it('believes no holder that says it takes everything, or took more than it was sent, or took it back', () => {
  const { input, sent } = setUp({ window: Number.MAX_SAFE_INTEGER })
  input.push(Buffer.alloc(2_000_000))
  expect(sent()).toHaveLength(262_144)
  input.took(Number.MAX_SAFE_INTEGER)
  expect(sent()).toHaveLength(2 * 262_144)
  input.took(5)
  expect(sent()).toHaveLength(2 * 262_144)
})
