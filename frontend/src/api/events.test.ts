import { expect, test, vi } from 'vitest'
import { FakeClock, FakeSocket } from '../terminal/testing/fakes.ts'
import { followEvents } from './events.ts'

/** Long enough for every delay between two tries. */
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
  })
  /** The socket of the n-th try, once it is there. */
  const socket = async (index: number) => {
    await vi.waitFor(() => expect(sockets.length).toBeGreaterThan(index))
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

test('a closed stream stays closed', async () => {
  const { clock, sockets, stream, socket } = setUp()
  const first = await socket(0)
  stream.close()
  expect(first.closedWith).toEqual([1000])
  clock.advance(LONG_MS)
  expect(sockets).toHaveLength(1)
  expect(clock.pending).toBe(0)
})
