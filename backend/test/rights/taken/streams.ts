/** A followed log, a file transfer and a program end when their user loses the right to them, as terminals do. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ExecBody } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { expect, it } from 'vitest'
import { DAY_MS } from '../../../src/lib/time/clock.ts'
import { addressOf } from '../../support/server/listener.ts'
import { call, type Person } from '../../support/people/people.ts'
import { AGENT, CLOSED_WITHIN_MS, type Victims } from '../victims.ts'

export const testTakenStreams = ({ team, as, asAdmin, stranger, share, apiToken, run, processes }: Victims): void => {
  const ask = async (path: string, token: string, body?: ExecBody): Promise<Response> =>
    fetch(`http://${await addressOf(team())}/api/agents/${AGENT}${path}`, {
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json', accept: 'application/x-ndjson' }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })

  /**
   * Resolves when the server has ended its answer to the next request for this address. A client may still read bytes
   * that are on the way.
   */
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
   * Reads to the end, and resolves with the last piece, even if the answer breaks off. Until the server ends the answer
   * it reads one piece each millisecond, as a network would deliver it. At full speed an endless file would take the
   * cores from the server, which is in this process.
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

  /** Ignores its hang-up until the grace period is over, and writes a file when that period begins. */
  const STUBBORN =
    'rm -f hung-up; trap "touch hung-up" HUP; echo on; while :; do sleep 0.1; echo still; done # sleep 3010'

  /** Opens one kind of stream, and gives its end. Each function resolves when the stream is open. */
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
    /** A program whose time limit has passed, and which is being ended. */
    overdue: async (token: string) => {
      const all = await program(token, STUBBORN, { timeoutSeconds: 1 })
      await until('its hang-up', async () => (await run('test -e hung-up')) === 0)
      return all
    },
  }
  type What = keyof typeof OPEN
  const ALL = ['log', 'file', 'program'] as const satisfies What[]

  /** The server answers nothing before the program's first line. */
  const program = async (token: string, script: string, more: Partial<ExecBody> = {}) => ({
    end: rest(await opened(ask('/exec', token, { argv: ['sh', '-c', script], ...more }))),
  })

  const opened = async (answer: Promise<Response>): Promise<Response> => {
    const response = await answer
    expect(response.status).toBe(200)
    return response
  }

  /**
   * Revokes the right of a user who has these open. Fails if anything goes on after two seconds. Answers how each ended.
   */
  const takenFrom = async (token: string, what: readonly What[], take: () => Promise<unknown>) => {
    const all = await Promise.all(what.map((one) => OPEN[one](token)))
    const over = new Set<What>()
    all.forEach(({ letGo, end }: Open, at) => void (letGo ?? end).then(() => over.add(what[at]!)))
    await take()
    await until('the ends', () => over.size === what.length, CLOSED_WITHIN_MS).catch(() => undefined)
    expect([...over].sort(), 'what ended at once').toEqual([...what].sort())
    const areGone = async () => (await processes()).every(({ command }) => !/sleep 3010|endless/.test(command))
    await until('their programs to end', areGone)
    const ends = await Promise.all(all.map(({ end }) => end))
    return Object.fromEntries(what.map((one, at) => [one, ends[at]]))
  }

  /** The ends after a right was revoked. The caller of a program is told the reason. */
  const told = (message: string) => ({
    log: expect.not.stringMatching('cut off'),
    file: 'cut off',
    program: expect.stringContaining(JSON.stringify(message)),
  })

  it.each<[string, (person: Person) => Promise<unknown>, string]>([
    // In the short form `taken.test.ts` has these ways. Each kind of stream ends by the same signal.
    ...inLongForm<[string, (person: Person) => Promise<unknown>, string]>([
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
    ]),
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

  // In the short form `src/modules/exec/exec.test.ts` ends what takes too long, with all that belongs to it.
  it.each(inLongForm(['stubborn', 'overdue'] as const))(
    'a log, a file or a program outlives a right: a program that minds no hang-up is heard no more when the token is revoked (%s)',
    async (what) => {
      const { id, token } = await apiToken(team().owner)
      const revoke = () => as(team().owner, `DELETE /tokens/${id}`)
      expect(await takenFrom(token, [what], revoke)).toEqual({ [what]: told('This API token was revoked.').program })
    },
  )

  // Each kind has its own test. If one stream's check found the expired token, it would end the others, too.
  it.each(ALL)('a log, a file or a program outlives a right: a %s ends when the API token expires', async (what) => {
    const { token } = await apiToken(team().owner)
    const expire = async () => team().clock.advance(DAY_MS)
    expect(await takenFrom(token, [what], expire)).toEqual({ [what]: told('This API token has expired.')[what] })
  })
}
