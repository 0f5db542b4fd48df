/** If a right is revoked after the check, but before the server opens what the user asked for, nothing opens. */
import { CloseCode, type CreatedTerminalLink } from '@slipway/protocol'
import { type TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { addressOf } from '../support/server/listener.ts'
import { MemoryEngine } from '../support/engine/memory-engine.ts'
import { call, signIn } from '../support/people/people.ts'
import { as, newAgent, systemAgentSettled, useTeam } from '../support/people/team.ts'
import { openTerminal } from '../support/terminals/terminal.ts'
import { ask, talk } from './ask.ts'

const AGENT = 'wanted'
const team = useTeam({ runtime: new MemoryEngine().runtime })
let address: string
let mine: TerminalClient
let link: string

beforeAll(async () => {
  await systemAgentSettled(team())
  address = await addressOf(team())
  const admin = as(team(), team().admin)
  await admin('POST /agents?wait=true', newAgent(AGENT))
  await admin(`POST /agents/${AGENT}/shares`, { email: team().owner.email })
  mine = await openTerminal(team(), `/agents/${AGENT}/terminal?mode=bash`, { token: team().admin.token })
  await until('the terminal', () => mine.sessionId !== '')
  const body = { access: 'control', audience: 'anyone' }
  const made = await admin(`POST /terminal-sessions/${mine.sessionId}/links`, body)
  link = made.json<CreatedTerminalLink>().secret
  return async () => {
    mine.close()
    await mine.closed
  }
})
afterEach(() => void vi.restoreAllMocks())

/** Runs `meanwhile` after the server has found the next caller, and before it has answered. */
const whileLookedUp = (meanwhile: () => Promise<unknown>): void => {
  const { authenticator } = team().identity
  const authenticate = authenticator.authenticate.bind(authenticator)
  vi.spyOn(authenticator, 'authenticate').mockImplementationOnce(async (...asked) => {
    const caller = await authenticate(...asked)
    await meanwhile()
    return caller
  })
}

const request = async (method: string, path: string, token: string, body?: object) =>
  (await ask(address, { method, path: `/api/agents/${AGENT}${path}`, token, body, endless: true })).status
const socket = async (path: string, token: string, first: object = {}) =>
  (await talk(address, `/api${path}`, token, first)).answer

const { UNAUTHENTICATED } = CloseCode
const DOORS: [string, number | 'open', number, (token: string) => Promise<number | 'open'>][] = [
  ['a followed log', 200, 401, (token) => request('GET', '/logs/follow', token)],
  ['a download', 200, 401, (token) => request('GET', '/files?path=x', token)],
  ['an upload', 204, 401, (token) => request('PUT', '/files?path=x', token, {})],
  ['a look for files', 200, 401, (token) => request('POST', '/files/find', token, { paths: ['x'] })],
  ['a program', 200, 401, (token) => request('POST', '/exec', token, { argv: ['id'] })],
  ['a terminal', 'open', UNAUTHENTICATED, (token) => socket(`/agents/${AGENT}/terminal?mode=bash`, token)],
  ['another user’s terminal', 'open', UNAUTHENTICATED, (token) => socket('/watch', token, { v: 2, link })],
  ['the news', 'open', UNAUTHENTICATED, (token) => socket('/events', token)],
]

it.each(DOORS)('%s opens to a user who stays signed in', async (_what, opened, _refused, door) => {
  const { token } = await signIn(team(), team().owner.email)
  whileLookedUp(() => Promise.resolve())
  expect(await door(token)).toBe(opened)
})

it.each(DOORS)(
  'a right is taken while its door is being opened: %s does not open to a user who signs out during the look-up',
  async (_what, _opened, refused, door) => {
    const { token } = await signIn(team(), team().owner.email)
    whileLookedUp(() => call(team().app, 'POST /auth/logout', { token }))
    expect(await door(token)).toBe(refused)
  },
)
