/** A live terminal that guests join by a link, on the real engine. */
import {
  CloseCode,
  type CreatedTerminalLink,
  LINK_NEEDS_SIGN_IN,
  LINK_REFUSED,
  type TerminalLink,
} from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { call, type Person } from '../support/people/people.ts'
import { newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash, openTerminal } from '../support/terminals/terminal.ts'

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
const AGENT = 'shared-terminal'
/** Any close code but that of a disconnect, as when a page disappears. */
const LOST = 3001

beforeAll(async () => {
  const { app, owner, colleague } = team()
  await systemAgentSettled(team())
  await call(app, 'POST /agents?wait=true', { token: owner.token, body: newAgent(AGENT) })
  await call(app, `POST /agents/${AGENT}/shares`, { token: owner.token, body: { email: colleague.email } })
})

afterEach(disconnectAll)

const bashOf = ({ token }: Person): Promise<TerminalClient> => openBash(team(), AGENT, token)
const linksOf = ({ sessionId }: TerminalClient) => `/terminal-sessions/${sessionId}/links` as const
const link = async (terminal: TerminalClient, { token }: Person, body: object): Promise<CreatedTerminalLink> => {
  const response = await call(team().app, `POST ${linksOf(terminal)}`, { token, body })
  expect(response.statusCode).toBe(201)
  return response.json<CreatedTerminalLink>()
}
const watch = (secret: string, person?: Person): Promise<TerminalClient> =>
  openTerminal(team(), '/watch', { link: secret, ...(person && { token: person.token }) })
const shows = (terminal: TerminalClient, text: string) =>
  until(`${text} on the screen`, () => terminal.text.includes(text))
const refusal = async (terminal: TerminalClient) => [(await terminal.closed).code, terminal.of('error').at(-1)?.message]

describe('a link to a live terminal', () => {
  it('shows a user with access to the agent the current screen and later output, and executes none of their keys', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    await mine.run('echo before $((40+2))')
    const { secret, url, expiresAt } = await link(mine, owner, { access: 'view' })
    expect(url).toMatch(new RegExp(`/watch#${secret}$`))
    expect(Date.parse(expiresAt) - Date.now()).toBeGreaterThan(59 * 60_000)
    const theirs = await watch(secret, colleague)
    await shows(theirs, 'before 42')
    expect(theirs.frames[0]).toMatchObject({ type: 'auth_success', agentName: AGENT, cols: 80, rows: 24, mode: 'bash' })
    await until('who is there', () => mine.people.length === 2)
    expect(mine.people).toEqual([`1 ${owner.email} has control`, `2 ${colleague.email}`])
    expect(theirs.people).toEqual(mine.people)
    theirs.type('echo typed by nobody\r')
    theirs.resize(40, 10)
    theirs.send({ type: 'ask_control', asks: true })
    theirs.send({ type: 'give_control', to: '2' })
    await mine.run('stty size; echo after')
    await shows(theirs, '24 80')
    expect(mine.text).not.toContain('typed by nobody')
    expect(mine.people).toEqual([`1 ${owner.email} has control`, `2 ${colleague.email}`])
    theirs.close()
    await until('them to have left', () => mine.people.length === 1)
  })

  it('gives control to one user at a time, with the size of that user’s window', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    const { secret } = await link(mine, owner, { access: 'control' })
    const theirs = await watch(secret, colleague)
    theirs.resize(61, 17)
    theirs.send({ type: 'ask_control', asks: true })
    await until('the question', () => mine.people.includes(`2 ${colleague.email} asks`))
    mine.send({ type: 'give_control', to: '2' })
    await until('control', () => theirs.people.includes(`2 ${colleague.email} has control`))
    await until('the size', () => mine.of('size').some(({ cols, rows }) => cols === 61 && rows === 17))
    await theirs.run('stty size; echo typed by them')
    expect(theirs.text).toContain('17 61')
    mine.type('echo typed too early\r')
    mine.send({ type: 'give_control', to: '1' })
    await until('control again', () => mine.people.includes(`1 ${owner.email} has control`))
    theirs.type('echo typed too late\r')
    await mine.run('echo typed by me')
    expect(mine.text).toContain('typed by them')
    expect(mine.text).not.toMatch(/too early|too late/)
    // A size that another participant chose is announced, even if this client once asked for the same size.
    mine.resize(61, 17)
    await until('the size', () => theirs.of('size').some(({ cols, rows }) => cols === 61 && rows === 17))
  })

  it('tells a user who asks for control that another user declined, and who', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    const { secret } = await link(mine, owner, { access: 'control' })
    const theirs = await watch(secret, colleague)
    await until('them', () => mine.people.length === 2)
    theirs.send({ type: 'ask_control', asks: true })
    await until('the question', () => mine.people.includes(`2 ${colleague.email} asks`))
    // A client without control declines. Then the owner declines for an unknown id, and without an id. The server sends
    // nothing about any of them.
    theirs.send({ type: 'decline_control', to: '2' })
    mine.send({ type: 'decline_control', to: '7' })
    mine.send({ type: 'decline_control' })
    await mine.run('true')
    expect(mine.people).toContain(`2 ${colleague.email} asks`)
    mine.send({ type: 'decline_control', to: '2' })
    await until('the answer', () => theirs.people.includes(`2 ${colleague.email}`))
    const answers = (terminal: TerminalClient) => terminal.of('people').flatMap(({ refusal }) => refusal ?? [])
    expect([answers(theirs), answers(mine)]).toEqual([[`${owner.email} said: not now.`], []])
    theirs.send({ type: 'ask_control', asks: true })
    await until('the question again', () => mine.people.includes(`2 ${colleague.email} asks`))
    // The server knows the owner also while they are away. Then no participant has control.
    mine.close(LOST)
    await until('nobody', () => theirs.people.length === 1)
    expect(theirs.people).toEqual([`2 ${colleague.email} asks`])
    const late = await watch(secret, colleague)
    await until('the late one', () => late.people.length === 2)
    expect(late.frames[0]).toMatchObject({ type: 'auth_success', agentName: AGENT, holder: owner.email })
    const again = await bashOf(owner)
    expect(again.people[0]).toBe(`2 ${colleague.email} asks`)
    expect(again.text).not.toContain('decline_control')
  })

  it('leaves control with its holder when the terminal’s user reconnects, and says so before it shows them anything', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    const { secret } = await link(mine, owner, { access: 'control' })
    const theirs = await watch(secret, colleague)
    await until('them', () => mine.people.length === 2)
    mine.send({ type: 'give_control', to: '2' })
    await until('control', () => theirs.people.includes(`2 ${colleague.email} has control`))
    mine.close(LOST)
    await mine.closed
    const again = await openBash(team(), AGENT, owner.token)
    expect(again.sessionId).toBe(mine.sessionId)
    expect(again.frames.map(({ type }) => type).slice(0, 3)).toEqual(['auth_success', 'people', 'snapshot'])
    expect(again.people).toEqual([`2 ${colleague.email} has control`, `3 ${owner.email}`])
  })

  it('is for people with access to the agent, unless its maker chooses otherwise', async () => {
    const { owner, stranger } = team()
    const mine = await bashOf(owner)
    const ours = await link(mine, owner, { access: 'control' })
    expect(await refusal(await watch(ours.secret, stranger))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    expect(await refusal(await watch(ours.secret))).toEqual([CloseCode.UNAUTHENTICATED, LINK_NEEDS_SIGN_IN])
    expect(await refusal(await watch('slk_nothing', stranger))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    expect(await refusal(await watch('slk_nothing'))).toEqual([CloseCode.UNAUTHENTICATED, LINK_NEEDS_SIGN_IN])
    const { secret } = await link(mine, owner, { access: 'control', audience: 'anyone' })
    const [guest, known] = [await watch(secret), await watch(secret, stranger)]
    await until('both', () => mine.people.length === 3)
    expect(
      [...mine.people]
        .sort()
        .slice(1)
        .map((line) => line.slice(2))
        .sort(),
    ).toEqual(['Guest 1', stranger.email].sort())
    // Only a participant with a name in the audit log may have control.
    const idOf = (name: string) => mine.people.find((line) => line.includes(name))!.split(' ')[0]
    mine.send({ type: 'give_control', to: idOf('Guest') })
    mine.send({ type: 'give_control', to: idOf(stranger.email) })
    await until('control', () => known.people.includes(`${idOf(stranger.email)} ${stranger.email} has control`))
    expect(guest.frames.some(({ type }) => type === 'error')).toBe(false)
  })

  it('ends for every guest when it is revoked, and for a guest whose right is revoked', async () => {
    const { app, owner, colleague, admin } = team()
    const mine = await bashOf(owner)
    const first = await link(mine, owner, { access: 'view' })
    const theirs = await watch(first.secret, colleague)
    await until('them', () => mine.people.length === 2)
    expect((await call(app, `DELETE ${linksOf(mine)}/${first.id}`, { token: owner.token })).statusCode).toBe(204)
    expect(await refusal(theirs)).toEqual([CloseCode.FORBIDDEN, 'The link to this terminal was revoked.'])
    expect(await refusal(await watch(first.secret, colleague))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    const second = await link(mine, owner, { access: 'view' })
    const again = await watch(second.secret, colleague)
    await until('them again', () => mine.people.length === 2)
    await call(app, `DELETE /agents/${AGENT}/shares/${colleague.id}`, { token: owner.token })
    expect((await refusal(again))[0]).toBe(CloseCode.FORBIDDEN)
    await call(app, `POST /agents/${AGENT}/shares`, { token: owner.token, body: { email: colleague.email } })
    // The owner's terminal works throughout.
    await mine.run('true')
    expect(
      (await call(app, 'GET /audit?action=terminal', { token: admin.token }))
        .json<{ items: { action: string }[] }>()
        .items.map(({ action }) => action),
    ).toEqual(expect.arrayContaining(['terminal.link_created', 'terminal.link_revoked', 'terminal.watched']))
  })

  it('can be made, seen and revoked by the terminal’s user, its agent’s owner and admins, and is not there for others', async () => {
    const { app, owner, colleague, stranger, admin } = team()
    const theirs = await bashOf(colleague)
    const path = linksOf(theirs)
    const body = { access: 'view' }
    for (const { token } of [colleague, owner, admin])
      expect((await call(app, `POST ${path}`, { token, body })).statusCode).toBe(201)
    const mine = await bashOf(owner)
    expect((await call(app, `POST ${linksOf(mine)}`, { token: colleague.token, body })).statusCode).toBe(404)
    expect((await call(app, `GET ${path}`, { token: stranger.token })).statusCode).toBe(404)
    const { items } = (await call(app, `GET ${path}`, { token: owner.token })).json<{ items: TerminalLink[] }>()
    // The newest comes first. Each has its maker and its time, so that users can tell links apart.
    const makers = [admin, owner, colleague].map(({ id, email }) => ({ createdBy: { id, email } }))
    expect(items).toMatchObject(makers)
    expect(items.every(({ createdAt, expiresAt }) => createdAt < expiresAt)).toBe(true)
    expect(JSON.stringify(items)).not.toContain('slk_')
    await theirs.disconnect()
    await until(
      'the links to be gone',
      async () =>
        (await team().database.prisma.terminalLink.count({ where: { sessionId: items[0]!.sessionId } })) === 0,
    )
  })

  it('is for people with access to the agent if a sharee makes it, who may not let others in', async () => {
    const { app, owner, colleague, stranger } = team()
    const theirs = await bashOf(colleague)
    const path = linksOf(theirs)
    const body = { access: 'view', audience: 'anyone' }
    const refused = await call(app, `POST ${path}`, { token: colleague.token, body })
    expect(refused.json()).toMatchObject({ statusCode: 403, code: 'FORBIDDEN' })
    expect((await call(app, `GET ${path}`, { token: colleague.token })).json()).toMatchObject({ items: [] })
    const ours = await link(theirs, colleague, { access: 'view' })
    expect(await refusal(await watch(ours.secret, stranger))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    // The terminal's owner may.
    const { secret } = await link(theirs, owner, body)
    await watch(secret)
    await until('the guest', () => theirs.people.length === 2)
  })

  it('leads nowhere after its expiry', async () => {
    const { owner, colleague, clock } = team()
    const mine = await bashOf(owner)
    const { secret } = await link(mine, owner, { access: 'view', expiresInMinutes: 5 })
    await watch(secret, colleague)
    await until('them', () => mine.people.length === 2)
    clock.advance(6 * 60_000)
    expect(await refusal(await watch(secret, colleague))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    const { items } = (await call(team().app, `GET ${linksOf(mine)}`, { token: owner.token })).json<{
      items: TerminalLink[]
    }>()
    expect(items).toEqual([])
  })

  it('does not end the session when a guest leaves, in any way', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    const { secret } = await link(mine, owner, { access: 'view' })
    for (const code of [1000, LOST]) {
      const theirs = await watch(secret, colleague)
      await until('them', () => mine.people.length === 2)
      theirs.close(code)
      await until('them to have left', () => mine.people.length === 1)
    }
    await mine.run('true')
  })
})
