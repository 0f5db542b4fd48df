import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { FOUND_WITHIN_MS, Liveness, PING_INTERVAL_MS } from './liveness.ts'

/** A socket as far as `Liveness` uses it; the test decides what the other end does. */
class Socket extends EventEmitter {
  readonly OPEN = 1
  readyState = 1
  isPaused = false
  bufferedAmount = 0
  /** Whether the other end answers. */
  answers = true
  pings = 0
  /** When it was terminated; null if it was not. */
  endedAt: number | null = null

  ping(): void {
    this.pings += 1
    if (this.answers && !this.isPaused) this.emit('pong')
  }

  terminate(): void {
    this.endedAt = Date.now()
    this.readyState = 3
    this.emit('close')
  }
}

let liveness: Liveness
const watch = (onRound?: () => void): Socket => {
  const socket = new Socket()
  liveness.watch(socket as unknown as WebSocket, onRound)
  return socket
}
const pass = async (ms: number): Promise<void> => {
  vi.advanceTimersByTime(ms)
  // What a timer scheduled to run right after it.
  await new Promise((resolve) => setImmediate(resolve))
}
const rounds = async (count: number): Promise<void> => {
  for (let round = 0; round < count; round++) await pass(PING_INTERVAL_MS)
}

beforeEach(() => {
  vi.useFakeTimers({ now: 0, toFake: ['setInterval', 'clearInterval', 'Date'] })
  liveness = new Liveness()
})
afterEach(() => {
  liveness.quiesce()
  vi.useRealTimers()
})

describe('a socket', () => {
  it('whose other end is gone is ended within two pings, whenever it went', async () => {
    for (const lostAfterMs of [0, 1, PING_INTERVAL_MS - 1]) {
      const socket = watch()
      await rounds(1)
      await pass(lostAfterMs)
      const lostAt = Date.now()
      socket.answers = false
      await rounds(4)
      expect(socket.endedAt! - lostAt).toBeGreaterThanOrEqual(PING_INTERVAL_MS)
      expect(socket.endedAt! - lostAt).toBeLessThanOrEqual(FOUND_WITHIN_MS)
      await pass(PING_INTERVAL_MS - lostAfterMs)
    }
  })

  it('that answers, or says anything, is left alone and told of each round', async () => {
    const onRound = vi.fn()
    const answering = watch(onRound)
    const talking = watch()
    talking.answers = false
    for (let round = 0; round < 10; round++) {
      await rounds(1)
      talking.emit('message', Buffer.from('x'), true)
    }
    expect([answering.endedAt, talking.endedAt]).toEqual([null, null])
    expect([answering.pings, onRound.mock.calls.length]).toEqual([10, 10])
  })

  it('that is not read is pinged, and counted only from when it is read again', async () => {
    const socket = watch()
    socket.isPaused = true
    socket.answers = false
    await rounds(10)
    expect([socket.endedAt, socket.pings]).toEqual([null, 10])
    socket.isPaused = false
    await rounds(2)
    expect(socket.endedAt).toBe(12 * PING_INTERVAL_MS)
  })

  it('that still takes a large screen is not ended for an answer that cannot have come', async () => {
    const socket = watch()
    socket.answers = false
    for (const unsent of [9, 6, 3, 1]) {
      socket.bufferedAmount = unsent
      await rounds(1)
    }
    expect(socket.endedAt).toBeNull()
    // Nothing is sent any more.
    await rounds(1)
    expect(socket.endedAt).not.toBeNull()
  })

  it('that closes is forgotten', async () => {
    const socket = watch()
    socket.readyState = 2
    await rounds(3)
    expect([socket.endedAt, socket.pings]).toEqual([null, 0])
  })
})

describe('a process that stood still', () => {
  it('reads what came meanwhile before it misses it', async () => {
    const socket = watch()
    socket.answers = false
    await rounds(1)
    // The timer runs first, then the reads, and then what the timer deferred.
    vi.advanceTimersByTime(PING_INTERVAL_MS)
    socket.emit('pong')
    await pass(0)
    expect([socket.endedAt, socket.pings]).toEqual([null, 2])
  })
})
