import { expect, test } from 'vitest'
import { ApiError } from '@/api/transport/errors.ts'
import { RETRY_MS, type LinkState } from './link.ts'
import { comingBack, setUp } from '../testing/link.ts'
import { SIZE } from '../testing/session.ts'

test('a lost socket is replaced by itself, with the offset of what was received until then', async () => {
  const { clock, states, sockets, settle, connect } = setUp()
  await connect()
  sockets[0]!.print(50)
  sockets[0]!.end(1006)
  expect(states.at(-1)).toEqual({
    phase: 'reconnecting',
    attempt: 1,
    retryInMs: RETRY_MS[0],
    isInputCut: false,
    because: null,
  })
  clock.advance(RETRY_MS[0]!)
  await settle()
  sockets[1]!.open()
  expect(sockets[0]!.frames).toMatchObject([{ token: 'token 1', client: 'tab', takeover: true, v: 2, ...SIZE }])
  expect(sockets[1]!.frames).toEqual([
    { type: 'auth', token: 'token 2', v: 2, ...SIZE, client: 'tab', session: 's1', offset: 50 },
  ])
  sockets[1]!.say({ type: 'auth_success', sessionId: 's1', offset: 50, resumed: true })
  expect(states.at(-1)).toMatchObject({ phase: 'connected', resumed: true })
})

test('a server that has too much to do is asked again, unless it says how the session ended', async () => {
  const { clock, states, sockets, settle } = await comingBack()
  sockets[1]!.say({ type: 'error', message: 'The terminal could not be opened. Try again in a moment.', close: true })
  sockets[1]!.end(1011)
  expect(states.at(-1)).toMatchObject({ phase: 'reconnecting', attempt: 2 })
  clock.advance(RETRY_MS[1]!)
  await settle()
  sockets[2]!.open()
  sockets[2]!.say({ type: 'error', message: 'It could not be started.', reason: 'failed_to_start', close: true })
  sockets[2]!.end(1011)
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { code: 1011 } })
})

test('a screen that was cut off on its way is asked for again, and so is one that was only announced', async () => {
  const { clock, sockets, settle, connect } = setUp()
  await connect()
  sockets[0]!.print(50)
  sockets[0]!.say({ type: 'snapshot', bytes: 70, offset: 900, cols: 100, rows: 30 })
  sockets[0]!.end(1006)
  clock.advance(RETRY_MS[0]!)
  await settle()
  sockets[1]!.open()
  expect(sockets[1]!.frames[0]).not.toHaveProperty('offset')
  sockets[1]!.say({ type: 'auth_success', sessionId: 's1', offset: 950, resumed: true })
  sockets[1]!.end(1006)
  clock.advance(RETRY_MS[0]!)
  await settle()
  sockets[2]!.open()
  expect(sockets[2]!.frames[0]).not.toHaveProperty('offset')
  sockets[2]!.say({ type: 'auth_success', sessionId: 's1', offset: 980, resumed: true })
  sockets[2]!.say({ type: 'snapshot', bytes: 70, offset: 980, cols: 100, rows: 30 })
  sockets[2]!.print(70)
  sockets[2]!.end(1006)
  clock.advance(RETRY_MS[0]!)
  await settle()
  sockets[3]!.open()
  expect(sockets[3]!.frames).toMatchObject([{ session: 's1', offset: 980 }])
})

test('the delays grow while no server answers, and begin anew after a success', async () => {
  const { clock, states, sockets, settle, connect } = setUp()
  await connect()
  sockets[0]!.end(1006)
  const delays: number[] = []
  for (let attempt = 0; attempt < RETRY_MS.length + 1; attempt += 1) {
    const state = states.at(-1) as LinkState & { phase: 'reconnecting' }
    delays.push(state.retryInMs)
    clock.advance(state.retryInMs)
    await settle()
    sockets.at(-1)!.end(1006)
  }
  expect(delays).toEqual([...RETRY_MS, RETRY_MS.at(-1)])
  clock.advance(RETRY_MS.at(-1)!)
  await connect()
  sockets.at(-1)!.end(1006)
  expect(states.at(-1)).toMatchObject({ attempt: 1 })
})

test('a server that is stopping is waited for, a session that ended is not', async () => {
  const { clock, states, sockets, settle, connect } = setUp()
  await connect()
  sockets[0]!.say({ type: 'error', message: 'Stopping', close: true, reason: 'server_stopping' })
  sockets[0]!.end(1001)
  expect(states.at(-1)).toMatchObject({ phase: 'reconnecting' })
  clock.advance(RETRY_MS[0]!)
  await settle()
  sockets[1]!.open()
  sockets[1]!.say({ type: 'error', message: 'Bash ended', close: true, reason: 'exited', exitCode: 0 })
  sockets[1]!.end(1000)
  expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { frame: { reason: 'exited' } } })
  expect(clock.pending).toBe(0)
})

test('the reason of a server that cannot reconnect the user now is shown while they wait', async () => {
  const { clock, states, sockets, connect } = await comingBack()
  sockets[1]!.say({ type: 'error', message: 'This could not be recorded', close: true })
  sockets[1]!.end(1011)
  expect(states.at(-1)).toMatchObject({ phase: 'reconnecting', attempt: 2, because: 'This could not be recorded' })
  clock.advance(RETRY_MS[1]!)
  await connect()
  expect(states.at(-1)).toMatchObject({ phase: 'connected' })
})

test.each([
  [4002, { reason: 'taken_over' }],
  [4003, { reason: 'access_revoked' }],
  [4001, { reason: 'access_revoked' }],
  [4004, {}],
])('a session that was closed with %i and %j is over', async (code, more) => {
  const { states, sockets, connect } = setUp()
  await connect()
  sockets[0]!.say({ type: 'error', message: 'No', close: true, ...more })
  sockets[0]!.end(code)
  expect(states.at(-1)).toMatchObject({ phase: 'ended' })
})

test('a token that has expired is renewed once, and then the person has to sign in', async () => {
  const { clock, states, sockets, asked, settle, connect } = setUp()
  await connect()
  sockets[0]!.end(1006)
  for (const expected of ['reconnecting', 'ended']) {
    clock.advance(RETRY_MS[1]!)
    await settle()
    sockets.at(-1)!.open()
    sockets.at(-1)!.say({ type: 'error', message: 'Invalid token', close: true })
    sockets.at(-1)!.end(4001)
    expect(states.at(-1)).toMatchObject({ phase: expected })
  }
  expect(asked).toEqual([false, false, true])
})

test('a server that renews no token because it is away is waited for; one that refuses is not', async () => {
  const { clock, states, sockets, server, settle, connect } = setUp()
  await connect()
  server.refuses = new TypeError('Failed to fetch')
  sockets[0]!.end(1006)
  clock.advance(RETRY_MS[0]!)
  await settle()
  expect(states.at(-1)).toMatchObject({ phase: 'reconnecting', attempt: 2 })
  server.refuses = new ApiError(401, 'UNAUTHENTICATED', 'No')
  clock.advance(RETRY_MS[1]!)
  await settle()
  expect(states.at(-1)).toMatchObject({ phase: 'failed' })
})

test('a user can skip the wait for the next attempt', async () => {
  const { sockets, link, settle, connect, clock } = setUp()
  await connect()
  sockets[0]!.end(1006)
  link.retryNow()
  link.retryNow()
  await settle()
  expect(sockets).toHaveLength(2)
  expect(clock.pending).toBe(1)
})

test('Disconnect and leaving stop it, also while it looks for its server', async () => {
  for (const by of ['user', 'page'] as const) {
    const { clock, states, sockets, link, connect } = setUp()
    await connect()
    sockets[0]!.end(1006)
    if (by === 'user') link.disconnect()
    else link.leave()
    expect(states.at(-1)).toMatchObject({ phase: 'ended', end: { by }, runsOn: by === 'user' })
    expect(clock.pending).toBe(0)
  }
})

test('Disconnect says that the session runs on where no server was there to hear it', async () => {
  const answering = setUp()
  await answering.connect()
  answering.link.disconnect()
  expect(answering.states.at(-1)).toMatchObject({ phase: 'ended', runsOn: false })
  const opening = setUp()
  await opening.settle()
  opening.link.disconnect()
  expect(opening.states.at(-1)).toMatchObject({ phase: 'ended', runsOn: false })
  const coming = setUp()
  await coming.connect()
  coming.sockets[0]!.end(1006)
  coming.link.retryNow()
  await coming.settle()
  coming.sockets[1]!.open()
  coming.link.disconnect()
  expect(coming.states.at(-1)).toMatchObject({ phase: 'ended', runsOn: true })
})

test('a first connection that fails is tried twice more and then reported; one that was answered is not tried again', async () => {
  const failing = setUp()
  await failing.settle()
  for (const tries of [0, 1]) {
    failing.sockets[tries]!.end(1006)
    expect(failing.states).toEqual([])
    failing.clock.advance(RETRY_MS[tries]!)
    await failing.settle()
  }
  failing.sockets[2]!.end(1006)
  expect(failing.states).toMatchObject([{ phase: 'ended', end: { wasConnected: false } }])
  const reached = setUp()
  await reached.settle()
  reached.sockets[0]!.open()
  reached.sockets[0]!.end(1006)
  expect(reached.states).toMatchObject([{ phase: 'ended', end: { wasConnected: false } }])
  expect([failing.clock.pending, reached.clock.pending]).toEqual([0, 0])
  expect([failing.sockets.length, reached.sockets.length]).toEqual([3, 1])
})

test('Disconnect ends the second try of a first connection, too', async () => {
  const { clock, states, sockets, link, settle } = setUp()
  await settle()
  sockets[0]!.end(1006)
  link.disconnect()
  expect(states).toMatchObject([{ phase: 'ended', end: { by: 'user', wasConnected: false }, runsOn: false }])
  expect(clock.pending).toBe(0)
})

test('a client that lost its socket while another user had control has it again only once the server says so', async () => {
  const { clock, sockets, link, settle, connect } = setUp()
  await connect()
  const people = [{ id: 'bob', name: 'bob', isHolder: false, hasControl: true, mayControl: true, asks: false }]
  sockets[0]!.say({ type: 'people', you: 'ann', people })
  sockets[0]!.end(1006)
  clock.advance(RETRY_MS[0]!)
  await settle()
  await connect()
  expect(link.write(Uint8Array.of(1))).toBe(false)
  // A restarted server knows no guest any more, and tells the owner.
  const alone = [{ id: '1', name: 'ann', isHolder: true, hasControl: true, mayControl: true, asks: false }]
  sockets[1]!.say({ type: 'people', you: '1', people: alone })
  expect(link.write(Uint8Array.of(1))).toBe(true)
})
