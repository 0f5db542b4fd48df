import { ACK_EVERY_BYTES } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { CONNECT_TIMEOUT_MS, PAGE_LEFT, TerminalSession, type SessionState } from './session.ts'
import { FakeClock, FakeSocket } from './testing/fakes.ts'

const SIZE = { cols: 100, rows: 30 }

function setUp() {
  const clock = new FakeClock()
  const states: SessionState[] = []
  const consumed: (() => void)[] = []
  let made: FakeSocket | undefined
  const session = new TerminalSession({
    url: 'ws://here/terminal',
    token: 'secret',
    size: SIZE,
    onOutput: (_bytes, done) => consumed.push(done),
    onState: (state) => states.push(state),
    openSocket: (url) => {
      made = new FakeSocket(url)
      return made as unknown as WebSocket
    },
    schedule: clock.schedule,
  })
  const socket = made!
  const connect = (offset = 0) => {
    socket.open()
    socket.say({ type: 'auth_success', sessionId: 's1', offset })
  }
  return { clock, states, consumed, session, socket, connect }
}

test('the token goes into the first message and never into the address', () => {
  const { socket } = setUp()
  socket.open()
  expect(socket.url).not.toContain('secret')
  expect(socket.frames).toEqual([{ type: 'auth', token: 'secret', v: 2, ...SIZE }])
})

test('it is connected when the server says so, and not before', () => {
  const { states, socket } = setUp()
  socket.open()
  expect(states).toEqual([])
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0 })
  expect(states).toEqual([{ phase: 'connected', sessionId: 's1' }])
})

test('nothing can be typed before the program is there', () => {
  const { session, socket, connect } = setUp()
  socket.open()
  expect(session.write(Uint8Array.of(1))).toBe(false)
  connect()
  expect(session.write(Uint8Array.of(2))).toBe(true)
  expect(socket.binary).toEqual([Uint8Array.of(2)])
})

test('a size that changed while connecting is sent once the program is there', () => {
  const { session, socket } = setUp()
  socket.open()
  session.resize({ cols: 90, rows: 20 })
  session.resize({ cols: 80, rows: 24 })
  expect(socket.frames).toHaveLength(1)
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0 })
  expect(socket.frames.slice(1)).toEqual([{ type: 'resize', cols: 80, rows: 24 }])
})

test('a size that did not change is not sent', () => {
  const { session, socket, connect } = setUp()
  connect()
  session.resize({ ...SIZE })
  const before = socket.sent.length
  session.resize({ cols: 101, rows: 30 })
  session.resize({ cols: 101, rows: 30 })
  expect(socket.sent.length).toBe(before + 1)
})

test('output is acknowledged when the parser is done with it, not when it arrives', () => {
  const { consumed, socket, connect } = setUp()
  connect(500)
  socket.print(ACK_EVERY_BYTES)
  expect(socket.frames.filter((frame) => (frame as { type: string }).type === 'ack')).toEqual([])
  consumed[0]?.()
  expect(socket.frames.at(-1)).toEqual({ type: 'ack', offset: 500 + ACK_EVERY_BYTES })
})

test('Disconnect ends the session with 1000 and does not wait for the network', () => {
  const { session, states, socket, connect } = setUp()
  connect()
  session.disconnect()
  expect(socket.closedWith).toEqual([1000])
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by: 'user', code: 1000, wasConnected: true } })
})

test('leaving the page is a loss of the socket, not the end of the session', () => {
  const { session, states, socket, connect } = setUp()
  connect()
  session.leave()
  expect(socket.closedWith).toEqual([PAGE_LEFT])
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by: 'page' } })
})

test('the end carries the last error frame with its reason', () => {
  const { states, socket, connect } = setUp()
  connect()
  const frame = { type: 'error', message: 'Killed', close: true, reason: 'out_of_memory', exitCode: 137 }
  socket.say(frame)
  socket.end(1000)
  expect(states.at(-1)).toEqual({
    phase: 'ended',
    end: { by: 'server', code: 1000, frame, wasConnected: true },
  })
})

test('it ends once, whatever comes after', () => {
  const { session, states, socket, connect } = setUp()
  connect()
  socket.end(1006)
  socket.end(1006)
  session.disconnect()
  socket.say({ type: 'auth_success' })
  expect(states.filter((state) => state.phase === 'ended')).toHaveLength(1)
  expect(session.state.phase).toBe('ended')
})

test('a server that never answers is given up', () => {
  const { clock, states, socket } = setUp()
  socket.open()
  clock.advance(CONNECT_TIMEOUT_MS)
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by: 'server', wasConnected: false } })
})

test('an ended session leaves no timer', () => {
  const { clock, consumed, socket, connect } = setUp()
  connect()
  socket.print(10)
  consumed[0]?.()
  socket.end(1006)
  expect(clock.pending).toBe(0)
})
