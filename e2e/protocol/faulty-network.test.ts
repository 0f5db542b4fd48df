/** Networks that stall, delay, half-close and drop connections. No byte of output and no key is lost or repeated. */
import { disconnectAll, until } from '@slipway/testing'
import { inTurn, isLongForm, longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { FaultProxy } from '../support/network/fault-proxy.ts'
import { type Server, startServer } from '../support/server.ts'
import { Returning } from '../support/terminal/returning.ts'

/** Shorter than the default; `silence.test.ts` tests the default. */
const PING_INTERVAL_MS = 2_000
/** Allowance for a slow machine, in milliseconds. */
const LATE_MS = 10_000
/** How often the connection is lost while the test types. In the short form once with each delay. */
const LOSSES = isLongForm ? 12 : 4
/** Prints a number every 10 ms, and the code of each key that it gets. */
const PROGRAM = `exec python3 -uc 'import itertools,os,select,tty
tty.setraw(0)
for i in itertools.count():
  print("n%d" % i, end="\\r\\n")
  if select.select([0],[],[],0.01)[0]:
    for c in os.read(0,1000): print("k%d" % c, end="\\r\\n")'\r`

let server: Server
let owner: Client
let path: string
let proxy: FaultProxy
let session: Returning

beforeAll(async () => {
  server = await startServer({ env: { SLIPWAY_PING_SECONDS: String(PING_INTERVAL_MS / 1_000) } })
  owner = await newUser(await signInAdmin(server.baseUrl))
  const { name } = await owner.agent({ runtime: 'bash', keepSeconds: 300 })
  path = `/agents/${name}/terminal?mode=bash`
})
afterAll(() => server.stop())

beforeEach(async () => {
  proxy = await FaultProxy.before(server.baseUrl)
  session = await Returning.begin(proxy.url, path, owner.token)
  session.type(PROGRAM)
  await session.until('the program', () => numbers('n').length > 5)
})
afterEach(async () => {
  proxy.become()
  await disconnectAll()
  await proxy.close()
})

const numbers = (letter: 'n' | 'k'): number[] =>
  [...session.text.matchAll(/^([nk])(\d+)\r$/gm)]
    .filter(([, kind]) => kind === letter)
    .map(([, , digits]) => Number(digits))
const goesOn = async (): Promise<void> => {
  const seen = numbers('n').length
  await session.until('the numbers to go on', () => numbers('n').length > seen + 20)
}
const expectEachNumberOnce = (): void => {
  const all = numbers('n')
  expect(all).toEqual(all.map((_, index) => index))
}
/** Keys of the letters, typed one after another. */
const keysFrom = (first: number, count: number): string =>
  String.fromCharCode(...Array.from({ length: count }, (_, index) => first + index))

describe('a network that stalls without a word', () => {
  it('is found by the server within two pings; a client that reconnects goes on at its offset, and no key arrives twice', async () => {
    session.type(keysFrom(65, 3))
    await session.until('the keys', () => numbers('k').length === 3)
    const from = performance.now()
    proxy.become({ isStalled: true })
    // In flight when the network stalls, and lost with it.
    session.type(keysFrom(68, 3))
    await until('the server to give the connection up', () => proxy.connections === 0, 2 * PING_INTERVAL_MS + LATE_MS)
    // A ping may already have been in flight.
    expect(performance.now() - from).toBeGreaterThan(PING_INTERVAL_MS / 2)
    proxy.drop()
    proxy.become()
    await session.comeBack(proxy.url)
    session.type(keysFrom(71, 3))
    await session.until('the new keys', () => numbers('k').includes(73))
    await goesOn()
    expectEachNumberOnce()
    expect(numbers('k')).toEqual([65, 66, 67, 71, 72, 73])
  })
})

// The last test has delays, too, and each key and number once.
longIt('a network that delays keeps the order of keys and of output', async () => {
  proxy.become({ delayMs: 150 })
  for (const key of keysFrom(65, 26)) session.type(key)
  await session.until('the keys', () => numbers('k').length === 26)
  await goesOn()
  expectEachNumberOnce()
  expect(String.fromCharCode(...numbers('k'))).toBe(keysFrom(65, 26))
})

describe('a connection that is closed in one direction', () => {
  // In turn: both ends of a socket do the same when it closes.
  it.each(inTurn(['client', 'server'] as const, 1))(
    'is over for both when the %s is told so, and can be resumed',
    async (side) => {
      proxy.halfClose(side)
      expect((await session.client.closed).code).toBe(1006)
      await session.comeBack(proxy.url)
      session.type('A')
      await session.until('the key', () => numbers('k').length === 1)
      await goesOn()
      expectEachNumberOnce()
    },
  )
})

describe('a connection that breaks again and again', () => {
  it('loses at most what was on its way to the program, and nothing that comes from it', async () => {
    for (let loss = 0; loss < LOSSES; loss++) {
      // While typing: some keys have arrived, others have not.
      proxy.become({ delayMs: loss % 4 })
      session.type(keysFrom(40 + loss * 4, 1))
      session.type(keysFrom(41 + loss * 4, 1))
      if (loss % 3 === 0) await session.until('a key', () => numbers('k').includes(41 + loss * 4))
      proxy.drop()
      await session.comeBack(proxy.url)
      session.type(keysFrom(42 + loss * 4, 1))
      await session.until('what was typed afterwards', () => numbers('k').includes(42 + loss * 4))
    }
    await goesOn()
    expectEachNumberOnce()
    const keys = numbers('k')
    expect(keys).toEqual([...new Set(keys)].sort((a, b) => a - b))
  })
})
