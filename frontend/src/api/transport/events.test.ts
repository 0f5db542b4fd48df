import { expect, test, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { LET_IN_MS, LOOK_EVERY_MS, SILENCE_MS } from '@/lib/timing/hearing.ts'
import { FakeClock, FakeSocket } from '@/terminal/testing/fakes.ts'
import { followEvents } from './events.ts'

/** Longer than any delay between two tries. */
const LONG_MS = 60_000

function setUp() {
  const clock = new FakeClock()
  const sockets: FakeSocket[] = []
  const token = vi.fn(async (fresh: boolean) => (fresh ? 'new' : 'old'))
  const events: unknown[] = []
  const online: boolean[] = []
  const stream = followEvents({
    url: 'ws://here/events',
    token,
    onEvent: (event) => events.push(event),
    onOnline: (is) => online.push(is),
    openSocket: (url) => {
      const socket = new FakeSocket(url)
      sockets.push(socket)
      return socket as unknown as WebSocket
    },
    schedule: clock.schedule,
    now: clock.now,
  })
  /** The socket of the n-th try, once it is open. */
  const socket = async (index: number) => {
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(index), PATIENTLY)
    return sockets[index]!
  }
  return { clock, sockets, token, events, online, stream, socket }
}

test('the first message is the token, and events follow', async () => {
  const { events, online, socket } = setUp()
  const first = await socket(0)
  first.open()
  expect(first.frames).toEqual([{ type: 'auth', token: 'old' }])
  first.say({ type: 'auth_success' })
  first.say({ type: 'agent_removed', agentId: 'a', name: 'atlas' })
  expect(online).toEqual([true])
  expect(events).toEqual([{ type: 'agent_removed', agentId: 'a', name: 'atlas' }])
})

test('a message is sent only while the server has let the page in', async () => {
  const { stream, socket } = setUp()
  const first = await socket(0)
  first.open()
  expect(stream.send({ type: 'too early' })).toBe(false)
  first.say({ type: 'auth_success' })
  expect(stream.send({ type: 'hello' })).toBe(true)
  first.end(1006)
  expect(stream.send({ type: 'too late' })).toBe(false)
  expect(first.frames.slice(1)).toEqual([{ type: 'hello' }])
})

test('a lost stream is opened again', async () => {
  const { clock, online, socket } = setUp()
  const first = await socket(0)
  first.open()
  first.say({ type: 'auth_success' })
  first.end(1006)
  expect(online).toEqual([true, false])
  clock.advance(LONG_MS)
  const second = await socket(1)
  second.open()
  second.say({ type: 'auth_success' })
  expect(online).toEqual([true, false, true])
})

test('a refused token is not used a second time', async () => {
  const { clock, socket } = setUp()
  const first = await socket(0)
  first.open()
  first.end(4001)
  clock.advance(LONG_MS)
  const second = await socket(1)
  second.open()
  expect(second.frames).toEqual([{ type: 'auth', token: 'new' }])
})

test('a stream that falls silent is opened anew, and one that is alive is not', async () => {
  const { clock, sockets, events, online, socket } = setUp()
  const first = await socket(0)
  first.open()
  first.say({ type: 'auth_success' })
  const pass = (ms: number) => clock.pass(ms / LET_IN_MS, LET_IN_MS)
  for (let alive = 0; alive < 10; alive += 1) {
    pass(SILENCE_MS - LOOK_EVERY_MS)
    first.say({ type: 'alive' })
  }
  expect(events).toEqual([])
  expect(sockets).toHaveLength(1)
  pass(SILENCE_MS + LOOK_EVERY_MS + LET_IN_MS)
  expect(online).toEqual([true, false])
  expect(first.closedWith).toEqual([1000])
  clock.advance(LONG_MS)
  const second = await socket(1)
  // A late event of the old socket must not count.
  first.say({ type: 'agent_removed', agentId: 'a', name: 'atlas' })
  expect(events).toEqual([])
  second.open()
  expect(second.frames).toEqual([{ type: 'auth', token: 'old' }])
})

test('a lost stream is opened again at once when the user looks, or the network is back', async () => {
  const { stream, online, socket } = setUp()
  const first = await socket(0)
  first.open()
  first.say({ type: 'auth_success' })
  // The connection is alive, so this opens no other.
  stream.retryNow()
  first.end(1006)
  stream.retryNow()
  const second = await socket(1)
  second.open()
  second.say({ type: 'auth_success' })
  stream.networkLost()
  stream.networkBack()
  expect(second.closedWith).toEqual([1000])
  await socket(2)
  expect(online).toEqual([true, false, true, false])
})

test('a token that was taken after one was refused is used again after a silence', async () => {
  const { clock, token, socket } = setUp()
  const first = await socket(0)
  first.open()
  first.end(4001)
  clock.advance(LONG_MS)
  const second = await socket(1)
  second.open()
  second.say({ type: 'auth_success' })
  clock.pass(2 * (SILENCE_MS / LET_IN_MS), LET_IN_MS)
  clock.advance(LONG_MS)
  await socket(2)
  expect(token.mock.calls).toEqual([[false], [true], [false]])
})

test('a closed stream stays closed', async () => {
  const { clock, sockets, stream, socket } = setUp()
  const first = await socket(0)
  stream.close()
  expect(first.closedWith).toEqual([1000])
  clock.advance(LONG_MS)
  expect(sockets).toHaveLength(1)
  expect(clock.pending).toBe(0)
})
