/** A revoked right ends at once, also on open sockets. The client is told the reason, and no key arrives after it. */
import { randomUUID } from 'node:crypto'
import { CloseCode, type Role } from '@slipway/protocol'
import { type TerminalClient, until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { DAY_MS } from '../../src/lib/time/clock.ts'
import { SIGN_IN_IDLE_MS } from '../../src/modules/identity/sign-ins/service.ts'
import { listen, type Listener } from '../support/server/listener.ts'
import { type Call, call, PASSWORD, type Person, signIn } from '../support/people/people.ts'
import { openBash } from '../support/terminals/terminal.ts'
import { testTakenShare } from './taken/share.ts'
import { testTakenStreams } from './taken/streams.ts'
import { testTakenWatch } from './taken/watch.ts'
import { AGENT, CLOSED_WITHIN_MS, end, useVictims } from './victims.ts'

const victims = useVictims()
const { team, as, asAdmin, stranger, share, apiToken, fileExists, processes } = victims

const someone = async (role: Role = 'user'): Promise<Person> => {
  const person = await stranger(role)
  if (role === 'user') await share(person)
  return person
}

/** A user with an open terminal and an open page. */
interface Victim {
  readonly person: Person
  readonly terminal: TerminalClient
  readonly page: Listener
}
const connect = async (person: Person, token = person.token): Promise<Victim> => {
  const [terminal, page] = await Promise.all([openBash(team(), AGENT, token), listen(team(), token)])
  return { person, terminal, page }
}

/** Revokes the right and types at once. Answers what became of both sockets and of the key. */
const takenFrom = async ({ terminal, page }: Victim, take: () => Promise<unknown>) => {
  const [before, after] = [`before-${randomUUID()}`, `after-${randomUUID()}`]
  await terminal.run(`touch ${before}`)
  expect(await fileExists(before), 'a key that is typed while it is allowed').toBe(true)
  await take()
  terminal.type(`touch ${after}\r`)
  const ends = await Promise.all([end(terminal), end(page)])
  terminal.type(`touch ${after}\r`)
  await until('its programs to end', async () => {
    return !(await processes()).some(({ terminalSession }) => terminalSession === terminal.sessionId)
  })
  expect(await fileExists(after), 'a key that is typed after it').toBe(false)
  expect(terminal.frames.at(-1)).toMatchObject({ type: 'error', reason: 'access_revoked' })
  return ends
}

const { UNAUTHENTICATED, FORBIDDEN } = CloseCode

describe('an open socket outlives a right: both sockets close at once, with the reason, and the next key is not executed, when', () => {
  it('the account is disabled', async () => {
    const victim = await connect(await someone())
    const message = 'Your account was disabled. An admin can enable it again.'
    expect(await takenFrom(victim, () => asAdmin(`PATCH /users/${victim.person.id}`, { disabled: true }))).toEqual([
      { code: FORBIDDEN, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  // `modules/events/rights.test.ts` closes the sockets of a deleted user, and the test before ends both of a disabled one.
  longIt('the account is deleted', async () => {
    const victim = await connect(await someone())
    const message = 'Your account was deleted.'
    expect(await takenFrom(victim, () => asAdmin(`DELETE /users/${victim.person.id}`))).toEqual([
      { code: FORBIDDEN, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('the role that gave the right is taken', async () => {
    const victim = await connect(await someone('admin'))
    const message = 'Your role was changed.'
    expect(await takenFrom(victim, () => asAdmin(`PATCH /users/${victim.person.id}`, { role: 'user' }))).toEqual([
      { code: FORBIDDEN, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('the API token is revoked', async () => {
    const person = await someone()
    const { id, token } = await apiToken(person)
    const message = 'This API token was revoked.'
    expect(await takenFrom(await connect(person, token), () => as(person, `DELETE /tokens/${id}`))).toEqual([
      { code: FORBIDDEN, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('they sign out', async () => {
    const victim = await connect(await someone())
    const { token } = victim.person
    const message = 'You were signed out. Sign in again to go on.'
    expect(await takenFrom(victim, () => call(team().app, 'POST /auth/logout', { token }))).toEqual([
      { code: UNAUTHENTICATED, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  // In the short form the test before.
  it.each(
    inLongForm<[string, (person: Person) => Call]>([
      ['this device', ({ refreshToken }) => `DELETE /users/me/sign-ins/${refreshToken.split('.')[0] ?? ''}`],
      ['all others', () => 'DELETE /users/me/sign-ins'],
    ]),
  )('they sign out %s from another one', async (_what, request) => {
    const victim = await connect(await someone())
    const message = 'You were signed out. Sign in again to go on.'
    expect(await takenFrom(victim, () => as(victim.person, request(victim.person)))).toEqual([
      { code: UNAUTHENTICATED, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('they change their password on another device', async () => {
    const victim = await connect(await someone())
    const body = { currentPassword: PASSWORD, newPassword: `${PASSWORD} new` }
    const message = 'Your password was changed elsewhere. Sign in again to go on.'
    expect(await takenFrom(victim, () => as(victim.person, 'PATCH /users/me', body))).toEqual([
      { code: UNAUTHENTICATED, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('a copy of their refresh token is used', async () => {
    const victim = await connect(await someone())
    const refresh = (refreshToken: string) => call(team().app, 'POST /auth/refresh', { refreshToken })
    const message = 'Another person may have used your sign-in, so it was ended. Sign in again to go on.'
    const copied = async () => {
      await refresh(victim.person.refreshToken)
      team().clock.advance(DAY_MS)
      expect((await refresh(victim.person.refreshToken)).statusCode).toBe(401)
    }
    expect(await takenFrom(victim, copied)).toEqual([
      { code: UNAUTHENTICATED, message },
      { code: UNAUTHENTICATED, message },
    ])
  })
})

describe('an open socket outlives a right: time closes both sockets at once when', () => {
  it('the API token expires', async () => {
    const person = await someone()
    const victim = await connect(person, (await apiToken(person)).token)
    team().clock.advance(DAY_MS)
    const message = 'This API token has expired.'
    expect(await Promise.all([end(victim.terminal), end(victim.page)])).toEqual([
      { code: FORBIDDEN, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  it('the sign-in expires, and not before, although it was used meanwhile', async () => {
    const victim = await connect(await signInAgain())
    team().clock.advance(SIGN_IN_IDLE_MS - DAY_MS)
    const { refreshToken } = victim.person
    expect((await call(team().app, 'POST /auth/refresh', { refreshToken })).statusCode).toBe(200)
    // Its expiry lies after the one that was known when the sockets were opened. The end of this token shows that the
    // server has checked.
    const program = await listen(team(), (await apiToken(victim.person)).token)
    team().clock.advance(2 * DAY_MS)
    await end(program)
    await victim.terminal.run('true')
    team().clock.advance(SIGN_IN_IDLE_MS)
    const message = 'Your sign-in has expired. Sign in again to go on.'
    expect(await Promise.all([end(victim.terminal), end(victim.page)])).toEqual([
      { code: UNAUTHENTICATED, message },
      { code: UNAUTHENTICATED, message },
    ])
  })

  const signInAgain = async (): Promise<Person> => signIn(team(), (await someone()).email)
})

describe('the end of a share or of a token leaves the rest open:', () => {
  it('the end of a share ends the terminal, and the page is told that the agent is gone', async () => {
    const { person, terminal, page } = await connect(await someone())
    const after = `after-${randomUUID()}`
    await as(team().owner, `DELETE /agents/${AGENT}/shares/${person.id}`)
    terminal.type(`touch ${after}\r`)
    const message = 'This agent is no longer shared with you.'
    expect(await end(terminal)).toEqual({ code: FORBIDDEN, message })
    await until('the news', () => page.about(AGENT).at(-1) === 'removed', CLOSED_WITHIN_MS)
    expect(await fileExists(after)).toBe(false)
    expect(page.socket.readyState).toBe(page.socket.OPEN)
    page.socket.close()
  })

  it('a revoked token leaves the sockets of the sign-in', async () => {
    const person = await someone()
    const mine = await connect(person)
    const { id, token } = await apiToken(person)
    const program = await listen(team(), token)
    await as(person, `DELETE /tokens/${id}`)
    await end(program)
    await mine.terminal.run('true')
    expect(mine.page.socket.readyState).toBe(mine.page.socket.OPEN)
    mine.terminal.close()
    mine.page.socket.close()
  })

  // `modules/events/rights.test.ts` closes the sockets of a user with another role.
  longIt('a user who is made an admin is asked to reconnect, and then sees everything', async () => {
    const person = await stranger()
    const before = await listen(team(), person.token)
    await asAdmin(`PATCH /users/${person.id}`, { role: 'admin' })
    expect(await end(before)).toEqual({ code: UNAUTHENTICATED, message: 'Your role was changed.' })
    const after = await listen(team(), person.token)
    await as(team().owner, `PATCH /agents/${AGENT}`, { model: 'opus' })
    await after.hears('another user’s agent', () => after.about(AGENT).length > 0)
    after.socket.close()
  })
})

testTakenStreams(victims)
testTakenWatch(victims)
testTakenShare(victims)
