import { ACK_EVERY_BYTES } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { LOOK_EVERY_MS, SILENCE_MS } from '@/lib/timing/hearing.ts'
import { PAGE_LEFT } from './session.ts'
import { setUp, SIZE } from '../testing/session.ts'

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
  const unsaid = { mode: null, resumed: false, agentName: null, holder: null, survives: true }
  expect(states).toEqual([{ phase: 'connected', sessionId: 's1', ...unsaid }])
})

test('it is known whether the session survives its server', () => {
  const { states, socket } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, survives: false })
  expect(states).toMatchObject([{ phase: 'connected', survives: false }])
})

test('its recorded kinds are known before it is connected, and when they change', () => {
  const { recordings, states, socket } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 0, recorded: 'output_and_input' })
  socket.say({ type: 'recorded', recorded: 'output' })
  expect(recordings).toEqual(['output_and_input', 'output'])
  expect(states).toHaveLength(1)
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
    end: { by: 'server', code: 1000, frame, wasConnected: true, isInputCut: false },
  })
})

test('it ends once, and later events change nothing', () => {
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
  clock.pass(SILENCE_MS / LOOK_EVERY_MS + 2, LOOK_EVERY_MS)
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

test('a client that reconnects sends its offset, goes on there, and types nothing for what was missed', () => {
  const { output, resets, socket, session } = setUp({ session: 's1', offset: 700 })
  socket.open()
  expect(socket.frames).toMatchObject([{ type: 'auth', session: 's1', offset: 700 }])
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 700, replay: 30, resumed: true })
  socket.print(20)
  socket.print(25)
  expect(resets).toEqual([])
  expect(output).toEqual([
    { bytes: 20, isReplay: true },
    { bytes: 10, isReplay: true },
    { bytes: 15, isReplay: false },
  ])
  expect(session.offset).toBe(745)
})

test('output that begins elsewhere than expected is shown on an empty screen', () => {
  const { resets, socket } = setUp({ session: 's1', offset: 700 })
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 2_000 })
  expect(resets).toEqual([null])
})

test('the screen of a resumed session is told from that of a new program', () => {
  const { resets, socket } = setUp()
  socket.open()
  socket.say({ type: 'auth_success', sessionId: 's1', offset: 2_000, resumed: true })
  expect(resets).toEqual([])
  socket.say({ type: 'snapshot', bytes: 50, offset: 2_000, cols: 120, rows: 40 })
  expect(resets).toEqual([{ cols: 120, rows: 40 }])
})

test('a snapshot replaces the screen, is no output, and is not answered', () => {
  const { consumed, output, resets, session, socket, connect } = setUp()
  connect()
  socket.print(100)
  socket.say({ type: 'snapshot', bytes: 50, offset: 5_000, cols: 120, rows: 40 })
  socket.print(50)
  socket.print(10)
  expect(resets.at(-1)).toEqual({ cols: 120, rows: 40 })
  expect(output.slice(1)).toEqual([
    { bytes: 50, isReplay: true },
    { bytes: 10, isReplay: false },
  ])
  expect(session.offset).toBe(5_010)
  for (const done of consumed) done()
  expect(socket.frames.filter((frame) => (frame as { type: string }).type === 'ack')).toEqual([])
})

test('a server that has fallen silent is taken for lost, one that says it is alive is not', () => {
  const { clock, states, socket, connect } = setUp()
  connect()
  for (let round = 0; round < 10; round += 1) {
    clock.pass(5, LOOK_EVERY_MS)
    socket.say({ type: 'alive' })
  }
  expect(states.at(-1)).toMatchObject({ phase: 'connected' })
  clock.pass(SILENCE_MS / LOOK_EVERY_MS + 2, LOOK_EVERY_MS)
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by: 'server' } })
})

test('a large screen on a slow line is waited for', () => {
  const { clock, states, socket, connect } = setUp()
  connect()
  socket.say({ type: 'snapshot', bytes: 2_000_000, offset: 5_000, cols: 100, rows: 30 })
  clock.pass(60_000 / LOOK_EVERY_MS, LOOK_EVERY_MS)
  expect(states.at(-1)).toMatchObject({ phase: 'connected' })
  socket.print(2_000_000)
  clock.pass(SILENCE_MS / LOOK_EVERY_MS + 2, LOOK_EVERY_MS)
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by: 'server' } })
})

test('input that is cut by the end is told', () => {
  const { session, states, socket, connect } = setUp()
  connect()
  socket.bufferedAmount = 1_000_000
  session.write(new Uint8Array(10))
  socket.end(1006)
  expect(states.at(-1)).toMatchObject({ end: { isInputCut: true } })
})
