/** No API token can open, join or end a terminal that has its user's own credential. */
import { CloseCode, type CreatedTerminalLink } from '@slipway/protocol'
import { disconnectAll, type TerminalClient } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../support/engine/engine.ts'
import { call } from '../support/people/people.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openBash, openTerminal } from '../support/terminals/terminal.ts'

const AGENT = 'keyed'
const KEY = 'sk-ant-canary-0123456789abcdef'
/** Any close code but that of a disconnect, as when a page disappears. */
const LOST = 3001
const REFUSED = [CloseCode.FORBIDDEN, 'personal_credential']

const engine = useEngine()
const team = useTeam({ runtime: engine.runtime, config: { images: [IMAGE] } })
afterEach(disconnectAll)
let [ownersToken, adminsToken] = ['', '']

const tokenOf = async (person: 'owner' | 'admin'): Promise<string> => {
  const wanted = { name: 'ci', scopes: ['agents:read', 'agents:write', 'terminal'] }
  return (await as(team(), team()[person])('POST /tokens', wanted)).json<{ token: string }>().token
}

beforeAll(async () => {
  await systemAgentSettled(team())
  const owner = as(team(), team().owner)
  await owner('POST /agents?wait=true', newAgent(AGENT))
  await owner('PUT /users/me/credentials/anthropic-api-key', { value: KEY })
  ownersToken = await tokenOf('owner')
  adminsToken = await tokenOf('admin')
})

/** Opens the owner's terminal with the owner's sign-in. Their key is in it. */
const personal = async (): Promise<TerminalClient> => {
  const mine = await openBash(team(), AGENT, team().owner.token)
  await mine.run('echo the key is $ANTHROPIC_API_KEY')
  expect(mine.text).toContain(KEY)
  return mine
}
const come = async (first: object): Promise<TerminalClient> =>
  openTerminal(team(), `/agents/${AGENT}/terminal?mode=bash`, first)
const watch = async (link: string, token?: string): Promise<TerminalClient> =>
  openTerminal(team(), '/watch', { link, ...(token !== undefined && { token }) })
const link = (terminal: TerminalClient, token: string, body: object) =>
  call(team().app, `POST /terminal-sessions/${terminal.sessionId}/links`, { token, body })
const reasonOf = (terminal: TerminalClient) => terminal.of('error').at(-1)?.reason
const ending = async (terminal: TerminalClient) => [(await terminal.closed).code, reasonOf(terminal)]

describe('an API token at a terminal that a sign-in opened with a personal credential', () => {
  it('is refused, whether the terminal waits or its user is there, with every way to come back', async () => {
    const mine = await personal()
    const tries = [{}, { takeover: true }, { client: 'tab', takeover: true }, { session: mine.sessionId, offset: 0 }]
    const refusals = async () => {
      for (const more of tries) {
        const theirs = await come({ token: ownersToken, ...more })
        expect(await ending(theirs)).toEqual(REFUSED)
        expect(theirs.text).toBe('')
      }
    }
    await refusals()
    await mine.run('echo still mine')
    mine.close(LOST)
    await mine.closed
    await refusals()
    const again = await come({ token: team().owner.token, session: mine.sessionId })
    await again.until('the terminal again', () => again.text.includes('still mine'))
    expect(again.frames[0]).toMatchObject({ type: 'auth_success', resumed: true })
  })

  it('is refused in the first version of the protocol, with a sentence', async () => {
    await personal()
    const theirs = await come({ token: ownersToken, v: undefined })
    expect((await theirs.closed).code).toBe(CloseCode.FORBIDDEN)
    expect(theirs.of('error').at(-1)?.message).toMatch(/own credential.*Sign in/)
  })

  it('makes no link to it, its owner’s and an admin’s alike, and nothing of the key is in the answer', async () => {
    const mine = await personal()
    for (const token of [ownersToken, adminsToken])
      for (const body of [{ access: 'view' }, { access: 'control' }, { access: 'view', audience: 'anyone' }]) {
        const made = await link(mine, token, body)
        expect(made.json()).toMatchObject({ statusCode: 403, code: 'PERSONAL_CREDENTIAL' })
      }
    expect((await link(mine, team().owner.token, { access: 'view' })).statusCode).toBe(201)
  })

  it('does not watch it by a link that a sign-in made, which others may', async () => {
    const mine = await personal()
    for (const audience of ['agent', 'anyone']) {
      const made = await link(mine, team().owner.token, { access: 'control', audience })
      const { secret } = made.json<CreatedTerminalLink>()
      for (const token of [ownersToken, adminsToken]) expect(await ending(await watch(secret, token))).toEqual(REFUSED)
      const guest = await watch(secret, team().admin.token)
      await guest.until('the screen', () => guest.text.includes(KEY))
    }
  })
})

describe('a terminal without a personal credential', () => {
  it('is a token’s own, which a sign-in and the token may both have, and share', async () => {
    const theirs = await openBash(team(), AGENT, ownersToken)
    await theirs.run('echo key:$ANTHROPIC_API_KEY:')
    expect(theirs.text).toContain('key::')
    const mine = await come({ token: team().owner.token, takeover: true })
    await mine.until('the terminal', () => mine.text.includes('key::'))
    const back = await come({ token: ownersToken, takeover: true })
    await back.until('the terminal', () => back.text.includes('key::'))
    const made = await link(back, ownersToken, { access: 'view' })
    expect(made.statusCode).toBe(201)
    const guest = await watch(made.json<CreatedTerminalLink>().secret, adminsToken)
    await guest.until('the screen', () => guest.text.includes('key::'))
  })
})
