import { expect, test } from 'vitest'
import { DOUBTFUL_MS, LET_IN_MS, LOOK_EVERY_MS, SILENCE_MS } from '@/lib/timing/hearing.ts'
import { RETRY_MS } from './link.ts'
import { comingBack, setUp } from '../testing/link.ts'

test('a silent network is left after two missed signs of life, and no key that went into it is typed again', async () => {
  const { clock, states, sockets, link, settle, connect } = setUp()
  await connect()
  sockets[0]!.print(50)
  clock.pass(SILENCE_MS / LOOK_EVERY_MS, LOOK_EVERY_MS)
  expect(link.write(Uint8Array.of(1))).toBe(true)
  expect(states.at(-1)).toMatchObject({ phase: 'connected' })
  clock.pass(2, LOOK_EVERY_MS)
  await settle()
  expect(states.at(-1)).toMatchObject({ phase: 'reconnecting' })
  expect(link.write(Uint8Array.of(2))).toBe(false)
  sockets[1]!.open()
  expect(sockets[1]!.frames).toMatchObject([{ session: 's1', offset: 50 }])
  sockets[1]!.say({ type: 'auth_success', sessionId: 's1', offset: 50, resumed: true })
  expect(sockets[1]!.binary).toEqual([])
})

test('after sleep, and when the user returns, a server that missed one sign of life is not waited for', async () => {
  for (const wake of ['sleep', 'look'] as const) {
    const { clock, states, sockets, link, settle, connect } = setUp()
    await connect()
    if (wake === 'sleep') {
      clock.set(DOUBTFUL_MS)
    } else {
      clock.pass(DOUBTFUL_MS / LOOK_EVERY_MS, LOOK_EVERY_MS)
      link.retryNow()
      expect(states.at(-1)).toMatchObject({ phase: 'connected' })
    }
    clock.pass(1, LOOK_EVERY_MS)
    clock.pass(1, LET_IN_MS)
    expect(states.at(-1)).toMatchObject({ phase: 'reconnecting', attempt: 1, retryInMs: RETRY_MS[0] })
    clock.advance(RETRY_MS[0]!)
    await settle()
    expect(sockets).toHaveLength(2)
  }
})

test('without a network the connection is doubted and kept, and with the next one replaced at once', async () => {
  const { clock, states, sockets, doubts, link, settle, connect } = setUp()
  await connect()
  link.networkLost()
  expect([doubts, states.at(-1)]).toMatchObject([[true], { phase: 'connected' }])
  expect(sockets[0]!.closedWith).toEqual([])
  clock.pass(2, LOOK_EVERY_MS)
  link.networkBack()
  await settle()
  expect(doubts).toEqual([true, false])
  expect(sockets).toHaveLength(2)
  expect(clock.pending).toBe(1)
})

test('a connection that carries on without a network, as on the same machine, is kept', async () => {
  const { clock, sockets, doubts, link, settle, connect } = setUp()
  await connect()
  link.networkLost()
  sockets[0]!.print(10)
  expect(doubts).toEqual([true])
  clock.pass(2, LOOK_EVERY_MS)
  sockets[0]!.print(10)
  expect(doubts).toEqual([true, false])
  link.networkBack()
  await settle()
  expect(sockets).toHaveLength(1)
})

test('an attempt that hangs is not waited for when the network is back, a first one is', async () => {
  const { clock, sockets, link, settle } = await comingBack()
  clock.pass(DOUBTFUL_MS / LOOK_EVERY_MS + 1, LOOK_EVERY_MS)
  link.networkBack()
  clock.pass(1, LET_IN_MS)
  clock.pass(1, RETRY_MS[0]!)
  await settle()
  expect(sockets).toHaveLength(3)
  const first = setUp()
  await first.settle()
  first.link.networkLost()
  first.link.networkBack()
  await first.connect()
  expect(first.states.at(-1)).toMatchObject({ phase: 'connected' })
})
