/** What is no terminal and goes on all the same ends with the right to it: a followed log, a file on its way, a program. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecBody } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/clock.ts'
import { addressOf } from '../support/listener.ts'
import { call, type Person } from '../support/people.ts'
import { AGENT, CLOSED_WITHIN_MS, useVictims } from './victims.ts'

/** The grace of a hang-up, and the kills after it, in milliseconds. */
const KILLED_WITHIN_MS = 30_000

const { team, as, asAdmin, stranger, share, apiToken, run, processes } = useVictims()

const ask = async (path: string, token: string, body?: ExecBody): Promise<Response> =>
  fetch(`http://${await addressOf(team())}/api/agents/${AGENT}${path}`, {
    headers: {
      authorization: `Bearer ${token}`,
      ...(body && { 'content-type': 'application/json', accept: 'application/x-ndjson' }),
    },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  })

/** Settles when the server has let go of its answer to what is asked for next at such an address: a client reads on what is on its way. */
const letGoOf = (address: string): Promise<null> => {
  const { promise, resolve } = Promise.withResolvers<null>()
  const { server } = team().app
  const hear = ({ url = '' }: IncomingMessage, answer: ServerResponse): void => {
    if (!url.endsWith(address)) return
    server.off('request', hear)
    answer.once('close', () => resolve(null))
  }
  server.on('request', hear)
  return promise
}

/**
 * Reads on, and settles with what came last when it is over, whichever way. Until the server lets go of it a piece each millisecond, as a
 * network would bring it: read as fast as it comes, an endless file takes the cores from the server, which is in this process.
 */
const rest = async (response: Response, letGo: Promise<null> = Promise.resolve(null)): Promise<string> => {
  let last = ''
  const is = { letGo: false }
  void letGo.then(() => (is.letGo = true))
  try {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      last = chunk
      if (!is.letGo) await delay(1)
    }
    return last
  } catch {
    return 'cut off'
  }
}

/** Goes on after its hang-up, for the grace that it has, and leaves a file when that begins. */
const STUBBORN =
  'rm -f hung-up; trap "touch hung-up" HUP; echo on; while :; do sleep 0.1; echo still; done # sleep 3010'

/** What somebody can have open, and its end; they resolve when it is open. */
interface Open {
  readonly letGo?: Promise<null>
  readonly end: Promise<string>
}
const OPEN = {
  log: async (token: string) => ({ end: rest(await opened(ask('/logs/follow', token))) }),
  file: async (token: string) => {
    await run('truncate -s 4G endless')
    const letGo = letGoOf('/files?path=endless')
    return { letGo, end: rest(await opened(ask('/files?path=endless', token)), letGo) }
  },
  program: (token: string) => program(token, 'echo on; exec sleep 3010'),
  stubborn: (token: string) => program(token, STUBBORN),
  /** Its time is over when it is open, and it is being ended. */
  overdue: async (token: string) => {
    const all = await program(token, STUBBORN, { timeoutSeconds: 1 })
    await until('its hang-up', async () => (await run('test -e hung-up')) === 0)
    return all
  },
}
type What = keyof typeof OPEN
const ALL = ['log', 'file', 'program'] as const satisfies What[]

/** Nothing is answered before there is a line. */
const program = async (token: string, script: string, more: Partial<ExecBody> = {}) => ({
  end: rest(await opened(ask('/exec', token, { argv: ['sh', '-c', script], ...more }))),
})

const opened = async (answer: Promise<Response>): Promise<Response> => {
  const response = await answer
  expect(response.status).toBe(200)
  return response
}

/** Takes the right from whoever has these open; fails when anything of it goes on after two seconds. Says how each ended. */
const takenFrom = async (token: string, what: readonly What[], take: () => Promise<unknown>) => {
  const all = await Promise.all(what.map((one) => OPEN[one](token)))
  const over = new Set<What>()
  all.forEach(({ letGo, end }: Open, at) => void (letGo ?? end).then(() => over.add(what[at]!)))
  await take()
  await until('the ends', () => over.size === what.length, CLOSED_WITHIN_MS).catch(() => undefined)
  expect([...over].sort(), 'what ended within two seconds').toEqual([...what].sort())
  const areGone = async () => (await processes()).every(({ command }) => !/sleep 3010|endless/.test(command))
  await until('their programs to end', areGone, KILLED_WITHIN_MS)
  const ends = await Promise.all(all.map(({ end }) => end))
  return Object.fromEntries(what.map((one, at) => [one, ends[at]]))
}

/** How they end whose right is taken; a program's caller is told why. */
const told = (message: string) => ({
  log: expect.not.stringMatching('cut off'),
  file: 'cut off',
  program: expect.stringContaining(JSON.stringify(message)),
})

it.each<[string, (person: Person) => Promise<unknown>, string]>([
  [
    'the account is disabled',
    ({ id }) => asAdmin(`PATCH /users/${id}`, { disabled: true }),
    'Your account was disabled. An admin can enable it again.',
  ],
  [
    'they sign out',
    ({ token }) => call(team().app, 'POST /auth/logout', { token }),
    'You were signed out. Sign in again to go on.',
  ],
  [
    'the share is taken',
    ({ id }) => as(team().owner, `DELETE /agents/${AGENT}/shares/${id}`),
    'This agent is no longer shared with you.',
  ],
])('a log, a file or a program outlives a right: all of it ends when %s', async (_when, take, message) => {
  const person = await stranger()
  await share(person)
  expect(await takenFrom(person.token, ALL, () => take(person))).toEqual(told(message))
})

it('a log, a file or a program outlives a right: all of it ends when the API token is revoked', async () => {
  const { id, token } = await apiToken(team().owner)
  const revoke = () => as(team().owner, `DELETE /tokens/${id}`)
  expect(await takenFrom(token, ALL, revoke)).toEqual(told('This API token was revoked.'))
})

it.each(['stubborn', 'overdue'] as const)(
  'a log, a file or a program outlives a right: a program that minds no hang-up is heard no more when the token is revoked (%s)',
  async (what) => {
    const { id, token } = await apiToken(team().owner)
    const revoke = () => as(team().owner, `DELETE /tokens/${id}`)
    expect(await takenFrom(token, [what], revoke)).toEqual({ [what]: told('This API token was revoked.').program })
  },
)

// Each alone: one whose end is looked for would take the others along.
it.each(ALL)('a log, a file or a program outlives a right: a %s ends when the API token expires', async (what) => {
  const { token } = await apiToken(team().owner)
  const expire = async () => team().clock.advance(DAY_MS)
  expect(await takenFrom(token, [what], expire)).toEqual({ [what]: told('This API token has expired.')[what] })
})
