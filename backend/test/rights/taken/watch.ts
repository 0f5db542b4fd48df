/**
 * A link admits users only as long as they have their account. A guest who types in another user's terminal is stopped
 * like the owner.
 */
import { randomUUID } from 'node:crypto'
import { CloseCode, type CreatedTerminalLink, type CreateTerminalLink } from '@slipway/protocol'
import { disconnectAll, until } from '@slipway/testing'
import { combined, inLongForm, longIt } from '@slipway/testing/forms'
import { afterEach, expect, it } from 'vitest'
import { DAY_MS } from '../../../src/lib/time/clock.ts'
import { call, PASSWORD, type Person, signIn } from '../../support/people/people.ts'
import { openBash, openTerminal } from '../../support/terminals/terminal.ts'
import { AGENT, end, type Victims } from '../victims.ts'

export const testTakenWatch = ({ team, fresh, as, asAdmin, stranger, share, apiToken, fileExists }: Victims): void => {
  const { UNAUTHENTICATED, FORBIDDEN } = CloseCode
  afterEach(disconnectAll)

  /** Opens the owner's terminal, and hands control of it to a guest by a link. */
  const handOver = async (person: Person, audience: CreateTerminalLink['audience'], token = person.token) => {
    const mine = await openBash(team(), AGENT, (await fresh(team().owner)).token)
    const body = { access: 'control', audience }
    const made = await as(team().owner, `POST /terminal-sessions/${mine.sessionId}/links`, body)
    const { id, secret } = made.json<CreatedTerminalLink>()
    const theirs = await openTerminal(team(), '/watch', { link: secret, token })
    const line = await until('them', () => mine.people.find((one) => one.includes(person.email)))
    mine.send({ type: 'give_control', to: line.split(' ')[0] })
    await until('control', () => theirs.people.some((one) => one.endsWith(`${person.email} has control`)))
    return { mine, theirs, linkId: id }
  }

  type Hands = Awaited<ReturnType<typeof handOver>>

  /** Revokes the right and types at once. Answers what became of the socket, of the key, and of the terminal. */
  const takenFrom = async ({ mine, theirs }: Hands, take: () => Promise<unknown>) => {
    const [before, after] = [`before-${randomUUID()}`, `after-${randomUUID()}`]
    await theirs.run(`touch ${before}`)
    expect(await fileExists(before), 'a key that is typed while it is allowed').toBe(true)
    await take()
    theirs.type(`touch ${after}\r`)
    const ended = await end(theirs)
    theirs.type(`touch ${after}\r`)
    expect(theirs.frames.at(-1)).toMatchObject({ type: 'error', reason: 'access_revoked' })
    // The owner has control again, and everything that was typed before has arrived.
    await mine.run('true')
    expect(await fileExists(after), 'a key that is typed after it').toBe(false)
    const seen = theirs.text
    await mine.run('echo to nobody else')
    expect(theirs.text).toBe(seen)
    return ended
  }

  type Way = [string, (person: Person) => Promise<unknown>, { code: number; message: string }]
  /** Ways in which a guest loses the right, with the close code and the message. */
  const WAYS: Way[] = [
    [
      'their account is disabled',
      ({ id }) => asAdmin(`PATCH /users/${id}`, { disabled: true }),
      { code: FORBIDDEN, message: 'Your account was disabled. An admin can enable it again.' },
    ],
    [
      'they sign out',
      ({ token }) => call(team().app, 'POST /auth/logout', { token }),
      { code: UNAUTHENTICATED, message: 'You were signed out. Sign in again to go on.' },
    ],
    // In the short form a guest who is disabled, and one who signs out: the others lose it by the same signal.
    ...inLongForm<Way>([
      [
        'their account is deleted',
        ({ id }) => asAdmin(`DELETE /users/${id}`),
        { code: FORBIDDEN, message: 'Your account was deleted.' },
      ],
      [
        'they sign out all other devices',
        (person) => as(person, 'DELETE /users/me/sign-ins'),
        { code: UNAUTHENTICATED, message: 'You were signed out. Sign in again to go on.' },
      ],
      [
        'they change their password elsewhere',
        (person) => as(person, 'PATCH /users/me', { currentPassword: PASSWORD, newPassword: `${PASSWORD} new` }),
        { code: UNAUTHENTICATED, message: 'Your password was changed elsewhere. Sign in again to go on.' },
      ],
    ]),
  ]

  /** In the short form each way is taken by one of the two kinds of guests, in turn. */
  const CASES = combined(WAYS, ['anyone', 'agent'] as const).map(([[when, take, told], audience]) => ({
    ...{ when, take, told, audience },
    guest: audience === 'anyone' ? 'a stranger by a link for anyone' : 'a user with access to the agent',
  }))

  it.each(CASES)('$guest leaves when $when', async ({ take, told, audience }) => {
    const person = await stranger()
    if (audience === 'agent') await share(person)
    expect(await takenFrom(await handOver(person, audience), () => take(person))).toEqual(told)
  })

  // The next test has such a token.
  longIt('a stranger leaves with the API token that they came with', async () => {
    const person = await stranger()
    const { id, token } = await apiToken(person)
    const hands = await handOver(person, 'anyone', token)
    const told = { code: FORBIDDEN, message: 'This API token was revoked.' }
    expect(await takenFrom(hands, () => as(person, `DELETE /tokens/${id}`))).toEqual(told)
  })

  it('a stranger leaves when the API token that they came with expires', async () => {
    const person = await stranger()
    const { theirs } = await handOver(person, 'anyone', (await apiToken(person)).token)
    team().clock.advance(DAY_MS)
    expect(await end(theirs)).toEqual({ code: FORBIDDEN, message: 'This API token has expired.' })
  })

  // `sharing/sharing.test.ts` ends a link and a share for every guest.
  longIt('every guest leaves with the link, and the end of a share ends what it let in', async () => {
    const person = await signIn(team(), (await stranger()).email)
    await share(person)
    const first = await handOver(person, 'agent')
    const revoke = () => as(team().owner, `DELETE /terminal-sessions/${first.mine.sessionId}/links/${first.linkId}`)
    const revoked = { code: FORBIDDEN, message: 'The link to this terminal was revoked.' }
    expect(await takenFrom(first, revoke)).toEqual(revoked)
    first.mine.close()
    await first.mine.closed
    const unshare = () => as(team().owner, `DELETE /agents/${AGENT}/shares/${person.id}`)
    const unshared = { code: FORBIDDEN, message: 'This agent is no longer shared with you.' }
    expect(await takenFrom(await handOver(person, 'agent'), unshare)).toEqual(unshared)
  })
}
