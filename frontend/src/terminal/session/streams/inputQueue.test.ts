import { MAX_INPUT_BYTES } from '@slipway/protocol'
import { expect, test } from 'vitest'
import {
  DRAIN_POLL_MS,
  InputQueue,
  QUEUE_BYTES_MAX,
  SOCKET_BUFFER_BYTES,
  TOLD_AFTER_MS,
  TOLD_EVERY_MS,
} from './inputQueue.ts'
import { FakeClock } from '../../testing/fakes.ts'

function setUp() {
  const frames: Uint8Array[] = []
  const clock = new FakeClock()
  const socket = { buffered: 0 }
  const told: number[] = []
  const queue = new InputQueue(
    {
      send: (bytes) => {
        frames.push(bytes)
        socket.buffered += bytes.length
      },
      buffered: () => socket.buffered,
      waits: (bytes) => told.push(bytes),
    },
    clock.schedule,
  )
  const received = () => Buffer.concat(frames)
  return { frames, clock, socket, queue, told, received }
}

const paste = (length: number) => Uint8Array.from({ length }, (_, i) => (i * 31) % 251)

test('a key is sent at once, as one frame', () => {
  const { frames, queue } = setUp()
  queue.push(Uint8Array.of(3))
  expect(frames).toEqual([Uint8Array.of(3)])
})

test('a large paste is cut into frames that the server takes, and arrives whole', () => {
  const { frames, clock, socket, queue, received } = setUp()
  const bytes = paste(5 * 1024 * 1024 + 7)
  queue.push(bytes)
  while (clock.pending > 0) {
    socket.buffered = 0
    clock.advance(DRAIN_POLL_MS)
  }
  expect(Math.max(...frames.map((frame) => frame.length))).toBe(MAX_INPUT_BYTES)
  expect(received().equals(Buffer.from(bytes))).toBe(true)
})

test('no more is handed to the socket while its buffer is full', () => {
  const { clock, socket, queue } = setUp()
  queue.push(paste(SOCKET_BUFFER_BYTES * 3))
  expect(socket.buffered).toBe(SOCKET_BUFFER_BYTES)
  clock.advance(DRAIN_POLL_MS)
  expect(socket.buffered).toBe(SOCKET_BUFFER_BYTES)
})

test('what the program does not take waits here, and the socket stays free', () => {
  const { socket, queue, received } = setUp()
  const bytes = paste(3 * MAX_INPUT_BYTES)
  queue.allow(MAX_INPUT_BYTES)
  queue.push(bytes)
  socket.buffered = 0
  expect(received().length).toBe(MAX_INPUT_BYTES)
  queue.taken(1)
  expect(received().length).toBe(2 * MAX_INPUT_BYTES)
  queue.taken(2 * MAX_INPUT_BYTES)
  expect(received().equals(Buffer.from(bytes))).toBe(true)
  // A key waits only until the paste before it has gone.
  queue.taken(3 * MAX_INPUT_BYTES)
  queue.push(Uint8Array.of(13))
  expect(received().length).toBe(bytes.length + 1)
})

test('what was taken of a socket that is gone sends nothing more', () => {
  const { clock, queue, received } = setUp()
  queue.allow(MAX_INPUT_BYTES)
  queue.push(paste(2 * MAX_INPUT_BYTES))
  expect(queue.stop()).toBe(true)
  queue.taken(MAX_INPUT_BYTES)
  expect([received().length, clock.pending]).toEqual([MAX_INPUT_BYTES, 0])
})

test('keys typed behind a paste keep their place', () => {
  const { clock, socket, queue, received } = setUp()
  const bytes = paste(SOCKET_BUFFER_BYTES * 2)
  queue.push(bytes)
  queue.push(Uint8Array.of(13))
  socket.buffered = 0
  clock.advance(DRAIN_POLL_MS)
  socket.buffered = 0
  clock.advance(DRAIN_POLL_MS)
  expect(received().equals(Buffer.concat([bytes, Uint8Array.of(13)]))).toBe(true)
})

test('a paste beyond the bound is refused as a whole', () => {
  const { socket, queue, frames } = setUp()
  socket.buffered = SOCKET_BUFFER_BYTES
  expect(queue.push(new Uint8Array(QUEUE_BYTES_MAX))).toBe(true)
  expect(queue.push(Uint8Array.of(1))).toBe(false)
  expect(frames).toEqual([])
})

test('a stopped queue forgets what waits and leaves no timer', () => {
  const { clock, socket, queue, frames } = setUp()
  socket.buffered = SOCKET_BUFFER_BYTES
  queue.push(Uint8Array.of(1))
  queue.stop()
  socket.buffered = 0
  clock.advance(DRAIN_POLL_MS)
  expect(frames).toEqual([])
  expect(clock.pending).toBe(0)
})

test('what a lost socket has not sent is cut off, unless no input is in it', () => {
  const { socket, queue } = setUp()
  socket.buffered = 200
  expect(queue.stop()).toBe(false)
  queue.push(paste(1000))
  queue.passed(70)
  socket.buffered = 71
  expect(queue.stop()).toBe(true)
  socket.buffered = 70
  expect(queue.stop()).toBe(false)
})

test('what waits for longer is told until it does not, and keys are not', () => {
  const { clock, queue, told } = setUp()
  queue.allow(1)
  queue.push(paste(MAX_INPUT_BYTES))
  queue.push(Uint8Array.of(13))
  clock.advance(TOLD_AFTER_MS)
  expect(told).toEqual([])
  queue.push(paste(2 * MAX_INPUT_BYTES))
  clock.advance(TOLD_AFTER_MS - 1)
  expect(told).toEqual([])
  clock.advance(1)
  queue.taken(MAX_INPUT_BYTES + 1)
  clock.advance(TOLD_EVERY_MS)
  queue.taken(2 * MAX_INPUT_BYTES + 1)
  clock.advance(TOLD_EVERY_MS)
  expect(told).toEqual([2 * MAX_INPUT_BYTES + 1, MAX_INPUT_BYTES, 0])
  expect(clock.pending).toBe(0)
})

const bracketed = (length: number) => Buffer.concat([Buffer.from('\x1b[200~'), paste(length), Buffer.from('\x1b[201~')])

test('what waits is dropped when it is asked for, and keys arrive again', () => {
  const { clock, queue, told, received } = setUp()
  queue.allow(MAX_INPUT_BYTES)
  queue.push(paste(3 * MAX_INPUT_BYTES))
  queue.drop()
  queue.taken(MAX_INPUT_BYTES)
  queue.push(Uint8Array.of(3))
  clock.advance(TOLD_AFTER_MS)
  expect([received().length, received().at(-1), told, clock.pending]).toEqual([MAX_INPUT_BYTES + 1, 3, [], 0])
})

test('a paste that is dropped midway ends for its program, wherever it is cut, and one that was not begun never does', () => {
  for (const left of [100, 7, 6, 5, 1]) {
    const { queue, received } = setUp()
    queue.allow(MAX_INPUT_BYTES)
    // Sent in two chunks. The first fills the window.
    queue.push(bracketed(MAX_INPUT_BYTES - 12 + left))
    queue.drop()
    queue.taken(MAX_INPUT_BYTES)
    const text = received().toString('latin1')
    expect([text.endsWith('\x1b[201~'), text.split('\x1b[201~').length]).toEqual([true, 2])
  }
  const { queue, received } = setUp()
  queue.allow(MAX_INPUT_BYTES)
  // Sent in two chunks, which fill the window.
  queue.push(paste(MAX_INPUT_BYTES + 1))
  queue.taken(1)
  queue.push(bracketed(100))
  queue.drop()
  queue.taken(MAX_INPUT_BYTES + 1)
  expect(received().length).toBe(MAX_INPUT_BYTES + 1)
})

test('each paste has its time before it is told of', () => {
  const { clock, queue, told } = setUp()
  queue.allow(1)
  queue.push(Uint8Array.of(1))
  queue.push(paste(MAX_INPUT_BYTES))
  clock.advance(TOLD_AFTER_MS - 1)
  queue.taken(1)
  queue.push(paste(MAX_INPUT_BYTES))
  clock.advance(TOLD_AFTER_MS - 1)
  expect(told).toEqual([])
  clock.advance(1)
  queue.drop()
  queue.push(paste(MAX_INPUT_BYTES))
  clock.advance(TOLD_AFTER_MS - 1)
  expect(told).toEqual([MAX_INPUT_BYTES, 0])
})
