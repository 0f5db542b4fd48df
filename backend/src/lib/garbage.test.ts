import { expect, it } from 'vitest'
import { streamed } from './garbage.ts'

const PIECE_BYTES = 16_384
const PIECES = 2_000
const bufferBytes = (): number => process.memoryUsage().arrayBuffers

it('frees buffers of a stream long before V8 would', () => {
  const before = bufferBytes()
  let most = 0
  for (let piece = 0; piece < PIECES; piece++) {
    streamed(Buffer.allocUnsafeSlow(PIECE_BYTES).length)
    most = Math.max(most, bufferBytes() - before)
  }
  expect(PIECES * PIECE_BYTES).toBeGreaterThan(30_000_000)
  expect(most).toBeLessThan(10_000_000)
})
