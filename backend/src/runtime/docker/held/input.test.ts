import { randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { BRACKET_BYTES } from '../../bracket.ts'
import { HeldInput, INPUT_QUEUE_BYTES } from './input.ts'

interface Options {
  /** Without the room that is reserved for the end of a paste. */
  readonly window?: number | null
  readonly typing?: number
  /** Whether the socket flushes at once. */
  readonly isQuick?: boolean
  readonly isTerminal?: boolean
}

const setUp = ({ window = 1000, typing = 0, isQuick = true, isTerminal = true }: Options = {}) => {
  const sent: Uint8Array[] = []
  const flushed: (() => void)[] = []
  let drains = 0
  let ends = 0
  const input = new HeldInput({
    isTerminal,
    sendEnd: () => (ends += 1),
    window: window === null ? null : window + BRACKET_BYTES,
    typing,
    send: (bytes, done) => {
      // Copied, as a real frame would be.
      sent.push(Buffer.from(bytes))
      flushed.push(done)
    },
  })
  input.onDrain(() => (drains += 1))
  const settled = <T>(value: T): T => {
    while (isQuick && flushed.length > 0) flushed.shift()!()
    return value
  }
  const push = (data: Uint8Array): boolean => settled(input.push(data))
  const took = (bytes: number): void => settled(input.took(bytes))
  const abandon = (): void => input.abandon()
  const end = (): void => input.end()
  return {
    input: { push, took, abandon, end },
    ends: () => ends,
    flushed,
    sent: () => Buffer.concat(sent),
    drains: () => drains,
  }
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

it('counts what was typed through an earlier server', () => {
  const { input, sent } = setUp({ typing: 990 })
  expect(input.push(Buffer.alloc(20))).toBe(false)
  expect(sent()).toHaveLength(10)
  input.took(990)
  expect(sent()).toHaveLength(20)
})

it('goes by its socket where the holder does not say what was taken', () => {
  const { input, flushed, sent, drains } = setUp({ window: null, isQuick: false })
  expect(input.push(Buffer.alloc(200_000))).toBe(false)
  expect(sent()).toHaveLength(65_536 - BRACKET_BYTES)
  while (flushed.length > 0) flushed.shift()!()
  expect([sent().length, drains()]).toEqual([200_000, 1])
})

it('believes no holder that says it takes everything, or that takes less than before', () => {
  const { input, sent } = setUp({ window: Number.MAX_SAFE_INTEGER })
  const most = 262_144 - BRACKET_BYTES
  input.push(Buffer.alloc(2_000_000))
  expect(sent()).toHaveLength(most)
  input.took(most)
  expect(sent()).toHaveLength(2 * most)
  input.took(5)
  expect(sent()).toHaveLength(2 * most)
})

it.each([1000, null])(
  'gives the socket no more than a window, also if the holder reads nothing and says otherwise (%s)',
  (window) => {
    const { input, sent, flushed } = setUp({ window, isQuick: false })
    input.push(Buffer.alloc(500_000))
    const first = sent().length
    for (let said = 0; said < 100; said++) input.took(Number.MAX_SAFE_INTEGER - 100 + said)
    expect(sent()).toHaveLength(first)
    flushed.shift()!()
    expect(sent().length).toBeGreaterThan(first)
  },
)

it('keeps many small pieces as one, empty ones not at all, and no more than its bound', () => {
  const { input, sent } = setUp()
  expect(input.push(Buffer.alloc(0))).toBe(true)
  input.push(Buffer.alloc(1_001))
  for (let piece = 0; piece < 300_000; piece++) {
    input.push(Buffer.alloc(0))
    input.push(Buffer.from([piece & 0xff]))
  }
  const from = process.cpuUsage()
  input.took(300_000)
  for (let taken = 1_000; taken <= 301_001; taken += 1_000) input.took(taken)
  // A queue of single pieces would take seconds.
  expect(process.cpuUsage(from).user).toBeLessThan(1_000_000)
  expect(
    sent()
      .subarray(1_001)
      .equals(Buffer.from(Array.from({ length: 300_000 }, (_, piece) => piece & 0xff))),
  ).toBe(true)
  const full = setUp()
  for (let piece = 0; piece < 100; piece++) full.input.push(Buffer.alloc(65_536))
  for (let taken = 1_000; taken <= 100 * 65_536; taken += 1_000) full.input.took(taken)
  expect(full.sent().length).toBeLessThanOrEqual(1_000 + INPUT_QUEUE_BYTES + 65_536)
  expect(full.drains()).toBe(1)
})

it.each([
  ['that has begun is ended', '\x1b[200~', 2_000, '\x1b[201~'],
  ['that has ended is not', '\x1b[200~short\x1b[201~', 2_000, ''],
  ['of which the end was cut is ended once', '\x1b[200~', 1_000 - 6 - 3, '01~'],
  ['that was not begun is not', '', 2_000, ''],
])('drops what waits where no server continues it: a paste %s', (_how, begin, length, missing) => {
  const { input, sent } = setUp()
  const text = Buffer.concat([Buffer.from(begin), Buffer.alloc(length, 'x'), Buffer.from('\x1b[201~')])
  expect(input.push(text)).toBe(false)
  input.abandon()
  expect(sent().toString()).toBe(text.subarray(0, 1_000).toString() + missing)
  input.took(1_000)
  expect(sent()).toHaveLength(1_000 + missing.length)
})

it('tells the end once, after all that was pushed before it', () => {
  const { input, sent, ends, drains } = setUp({ isTerminal: false })
  input.push(Buffer.alloc(2_500))
  input.end()
  input.end()
  input.push(Buffer.from('too late'))
  expect([sent().length, ends()]).toEqual([1_000, 0])
  input.took(1_000)
  input.took(2_000)
  expect([sent().length, ends(), drains()]).toEqual([2_500, 1, 0])
  const empty = setUp({ isTerminal: false })
  empty.input.end()
  expect(empty.ends()).toBe(1)
})

it('adds nothing to bytes that are not typed on a terminal', () => {
  const { input, sent } = setUp({ isTerminal: false })
  const text = Buffer.concat([Buffer.from('\x1b[200~'), Buffer.alloc(2_000, 'x')])
  input.push(text)
  input.abandon()
  expect(sent().equals(text.subarray(0, 1_000))).toBe(true)
})
