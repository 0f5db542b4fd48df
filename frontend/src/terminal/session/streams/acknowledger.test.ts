import { ACK_EVERY_BYTES, WINDOW_BYTES } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { Acknowledger, IDLE_ACK_MS } from './acknowledger.ts'
import { FakeClock } from '../../testing/fakes.ts'

function setUp(offset = 0) {
  const acks: number[] = []
  const clock = new FakeClock()
  return { acks, clock, acknowledger: new Acknowledger(offset, (ack) => acks.push(ack), clock.schedule) }
}

test('nothing is acknowledged before enough was consumed', () => {
  const { acks, acknowledger } = setUp()
  acknowledger.consumed(ACK_EVERY_BYTES - 1)
  expect(acks).toEqual([])
})

test('an acknowledgement names the absolute offset of what was consumed', () => {
  const { acks, acknowledger } = setUp(1_000)
  acknowledger.consumed(ACK_EVERY_BYTES)
  expect(acks).toEqual([1_000 + ACK_EVERY_BYTES])
})

test('what is left is acknowledged once the parser is idle', () => {
  const { acks, clock, acknowledger } = setUp()
  acknowledger.consumed(10)
  acknowledger.consumed(5)
  clock.advance(IDLE_ACK_MS)
  clock.advance(IDLE_ACK_MS)
  expect(acks).toEqual([15])
})

test('a flood never leaves a whole window unacknowledged', () => {
  const { acks, acknowledger } = setUp()
  let consumed = 0
  for (let i = 0; i < 1_000; i += 1) {
    acknowledger.consumed(16_384)
    consumed += 16_384
    expect(consumed - (acks.at(-1) ?? 0)).toBeLessThan(WINDOW_BYTES / 2)
  }
})

test('a stopped acknowledger leaves no timer', () => {
  const { acks, clock, acknowledger } = setUp()
  acknowledger.consumed(10)
  acknowledger.stop()
  expect(clock.pending).toBe(0)
  expect(acks).toEqual([])
})
