import { expect, it } from 'vitest'
import { TypedInput, WAITING_BYTES_MAX } from './typed.ts'

const FRAME = 65_536

const setUp = (window: number) => {
  const frames: Uint8Array[] = []
  let rooms = 0
  const input = new TypedInput(
    window,
    (bytes) => frames.push(bytes),
    () => rooms++,
  )
  return { input, frames, rooms: () => rooms, sent: () => Buffer.concat(frames) }
}

it('sends a key at once, and cuts a paste into frames', () => {
  const { input, frames } = setUp(Infinity)
  expect(input.push(Buffer.from('k'))).toBe(true)
  input.push(Buffer.alloc(2 * FRAME + 1))
  expect(frames.map(({ length }) => length)).toEqual([1, FRAME, FRAME, 1])
})

it('has no more under way than the server allows, and keeps the order', () => {
  const { input, sent } = setUp(100)
  const bytes = Buffer.from(Array.from({ length: 250 }, (_, index) => index))
  input.push(bytes)
  input.push(Buffer.from('!'))
  expect(sent().length).toBe(100)
  input.taken(60)
  expect(sent().length).toBe(160)
  // A server that counts wrong gets no more than was sent.
  input.taken(10_000)
  input.taken(5)
  expect(sent().length).toBe(251)
  expect(sent().equals(Buffer.concat([bytes, Buffer.from('!')]))).toBe(true)
})

it('says when the keyboard has to wait, and when it may go on', () => {
  const { input, rooms } = setUp(10)
  expect(input.push(Buffer.alloc(WAITING_BYTES_MAX + 9))).toBe(true)
  expect(input.push(Buffer.alloc(1))).toBe(false)
  expect(rooms()).toBe(0)
  input.taken(10)
  expect(rooms()).toBe(1)
})
