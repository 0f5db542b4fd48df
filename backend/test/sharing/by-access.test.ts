/** A live terminal that users with access to the agent watch without a link, on the real engine. */
import { CloseCode, LINK_NEEDS_SIGN_IN, LINK_REFUSED, type Share } from '@slipway/protocol'
import { disconnectAll, type TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { call, type Person } from '../support/people/people.ts'
import { newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash, openTerminal } from '../support/terminals/terminal.ts'

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
const AGENT = 'watched-terminal'

beforeAll(async () => {
  const { app, owner, colleague } = team()
  await systemAgentSettled(team())
  await call(app, 'POST /agents?wait=true', { token: owner.token, body: newAgent(AGENT) })
  await call(app, `POST /agents/${AGENT}/shares`, { token: owner.token, body: { email: colleague.email } })
})

afterEach(disconnectAll)

const bashOf = ({ token }: Person): Promise<TerminalClient> => openBash(team(), AGENT, token)
const watch = (terminal: unknown, person?: Person): Promise<TerminalClient> =>
  openTerminal(team(), '/watch', { terminal, ...(person && { token: person.token }) })
const refusal = async (terminal: TerminalClient) => [(await terminal.closed).code, terminal.of('error').at(-1)?.message]

describe('a terminal watched without a link, by a user with access to the agent,', () => {
  it('is seen, and hands control over by its user alone', async () => {
    const { owner, colleague } = team()
    const mine = await bashOf(owner)
    await mine.run('echo before $((40+2))')
    const theirs = await watch(mine.sessionId, colleague)
    await until('the screen', () => theirs.text.includes('before 42'))
    expect(theirs.frames[0]).toMatchObject({ type: 'auth_success', agentName: AGENT, holder: owner.email })
    theirs.type('echo typed without control\r')
    theirs.send({ type: 'ask_control', asks: true })
    await until('the question', () => mine.people.includes(`2 ${colleague.email} asks`))
    mine.send({ type: 'give_control', to: '2' })
    await until('control', () => theirs.people.includes(`2 ${colleague.email} has control`))
    theirs.type('echo typed by $((1+1))\r')
    await until('what was typed', () => mine.text.includes('typed by 2'))
    expect(mine.text).not.toContain('typed without control')
    const response = await call(team().app, 'GET /audit?action=terminal.watched', { token: team().admin.token })
    const [event] = response.json<{ items: { actor: unknown; detail: object }[] }>().items
    expect(event).toMatchObject({ detail: { sessionId: mine.sessionId, access: 'control' } })
    expect(event?.detail).not.toHaveProperty('linkId')
  })

  it('is left with that access', async () => {
    const { app, owner, colleague } = team()
    const mine = await bashOf(owner)
    const theirs = await watch(mine.sessionId, colleague)
    await until('who is there', () => mine.people.length === 2)
    const shares = await call(app, `GET /agents/${AGENT}/shares`, { token: owner.token })
    const [share] = shares.json<{ items: Share[] }>().items
    await call(app, `DELETE /agents/${AGENT}/shares/${share!.userId}`, { token: owner.token })
    expect((await theirs.closed).code).toBe(CloseCode.FORBIDDEN)
    await until('them to have left', () => mine.people.length === 1)
    expect(await refusal(await watch(mine.sessionId, colleague))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    await call(app, `POST /agents/${AGENT}/shares`, { token: owner.token, body: { email: colleague.email } })
  })
})

describe('any other person', () => {
  it('gets the same answer for a terminal as for none, and is asked to sign in first', async () => {
    const { owner, stranger } = team()
    const mine = await bashOf(owner)
    const none = '01900000-0000-7000-8000-000000000000'
    for (const id of [mine.sessionId, none, 'no id'])
      expect(await refusal(await watch(id, stranger))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
    for (const id of [mine.sessionId, none])
      expect(await refusal(await watch(id))).toEqual([CloseCode.UNAUTHENTICATED, LINK_NEEDS_SIGN_IN])
    for (const id of ['', 7, 'x'.repeat(65), undefined])
      expect(await refusal(await watch(id, owner))).toEqual([CloseCode.UNAUTHENTICATED, 'Link required'])
  })

  it('watches no program that is not a terminal', async () => {
    const { app, owner } = team()
    const body = { argv: ['true'] }
    await call(app, `POST /agents/${AGENT}/exec`, { token: owner.token, body })
    const { id } = await team().database.prisma.terminalSession.findFirstOrThrow({ where: { mode: 'exec' } })
    expect(await refusal(await watch(id, owner))).toEqual([CloseCode.FORBIDDEN, LINK_REFUSED])
  })
})
