/** The protocol's table of errors: every message and close code, and the order of the checks. */
import { AUTH_TIMEOUT_MS } from '@slipway/protocol'
import { disconnectAll, TerminalClient } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { watchExecs } from '../support/agent/execs.ts'
import { useAgent } from '../support/use-agent.ts'

const baseUrl = inject('baseUrl')
let admin: Client
const its = useAgent()
let stranger: Client

beforeAll(async () => {
  admin = await signInAdmin()
  stranger = await newUser(admin)
})
afterEach(disconnectAll)

/** Sends the first frames and returns the error and the close code. */
const refusal = async (path: string, ...frames: (string | Buffer)[]) => {
  const client = new TerminalClient({ baseUrl, path })
  await client.refused
  for (const frame of frames) client.socket.send(frame)
  const { code } = await client.closed
  return { code, frame: client.frames[0], output: client.received }
}
const auth = (token: unknown, more: object = {}): string => JSON.stringify({ type: 'auth', token, ...more })
const error = (message: string) => ({ type: 'error', message, close: true })
const pathOf = (name: string, query = ''): string => `/agents/${name}/terminal${query}`

describe('before authentication', () => {
  it.each([
    [
      'a message of another type',
      JSON.stringify({ type: 'resize', cols: 80, rows: 24 }),
      'Expected auth message first',
    ],
    ['JSON that is no object', '"auth"', 'Expected auth message first'],
    ['null', 'null', 'Expected auth message first'],
    ['a message without a token', JSON.stringify({ type: 'auth' }), 'Token required'],
    ['an empty token', auth(''), 'Token required'],
    ['a token that is no text', auth({ a: 1 }), 'Token required'],
    ['a forged token', auth('eyJhbGciOiJub25lIn0.e30.'), 'Invalid token'],
    ['an API token that does not exist', auth(`slp_${'a'.repeat(43)}`), 'Invalid token'],
    ['text that is no JSON', 'ls -la\n', 'Invalid JSON in auth message'],
  ])('%s is refused with 4001', async (_what, first, message) => {
    expect(await refusal(pathOf(its.agent.name), first)).toEqual({ code: 4001, frame: error(message), output: 0 })
  })

  it('a binary message is refused with 4001', async () => {
    const refused = await refusal(pathOf(its.agent.name), Buffer.from(auth(its.owner.token)))
    expect(refused).toEqual({ code: 4001, frame: error('Expected auth message first'), output: 0 })
  })

  it('an API token without the scope for terminals is refused like a forged one', async () => {
    const { token } = await its.owner.apiToken('agents:read', 'agents:write')
    expect(await refusal(pathOf(its.agent.name), auth(token))).toMatchObject({
      code: 4001,
      frame: error('Invalid token'),
    })
  })

  // `backend/test/faults/clients.test.ts`, “no first message”.
  longIt('silence is refused with 4001 after the time for the first message', async () => {
    const from = Date.now()
    const refused = await refusal(pathOf(its.agent.name))
    expect(refused).toEqual({ code: 4001, frame: error('Authentication timeout'), output: 0 })
    expect(Date.now() - from).toBeGreaterThanOrEqual(AUTH_TIMEOUT_MS - 50)
  })
})

describe('input before authentication; cmd, cwd, env in the query:', () => {
  it('nothing is executed for a caller who is not let in, and no exec is created', async () => {
    const execs = await watchExecs(its)
    onTestFinished(execs.stop)
    await refusal(pathOf(its.agent.name, '?cmd=id&env=A&mode=bash'), 'id\n', 'id\n')
    await refusal(pathOf(its.agent.name), auth(stranger.token), 'id\n')
    expect(await execs.count()).toBe(0)
    const path = pathOf(its.agent.name, '?mode=bash&cmd=id&cwd=/proc/self/fd/7')
    const allowed = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token: its.owner.token })
    expect(await execs.count()).toBe(1)
    expect(await allowed.run('pwd')).toContain('/home/developer')
    await allowed.disconnect()
  })
})

describe('after authentication', () => {
  it.each(['?mode=zsh', '?mode=', '?mode=bash&mode=bash', '?mode=claude&model=--help', '?mode=claude&model=a%20b'])(
    'the query %s is refused with 4000',
    async (query) => {
      const { code, frame, output } = await refusal(pathOf(its.agent.name, query), auth(its.owner.token))
      expect({ code, output }).toEqual({ code: 4000, output: 0 })
      expect(frame?.type).toBe('error')
    },
  )

  it('an unknown version is refused with 4000', async () => {
    expect(await refusal(pathOf(its.agent.name), auth(its.owner.token, { v: 3 }))).toMatchObject({ code: 4000 })
  })

  it('a stranger cannot tell an agent that exists from one that does not', async () => {
    const existing = await refusal(pathOf(its.agent.name, '?mode=bash'), auth(stranger.token))
    const missing = await refusal(pathOf('no-such-agent', '?mode=bash'), auth(stranger.token))
    expect(existing).toEqual({ code: 4003, frame: error("You don't have access to this agent"), output: 0 })
    expect(missing).toEqual(existing)
  })

  it('an admin is told that the container is missing', async () => {
    const refused = await refusal(pathOf('no-such-agent'), auth(admin.token))
    expect(refused).toEqual({ code: 4004, frame: error("Agent 'no-such-agent' container not found"), output: 0 })
  })

  it('only an admin opens the system agent', async () => {
    const refused = await refusal('/system-agent/terminal', auth(its.owner.token))
    expect(refused).toEqual({ code: 4003, frame: error('Admin access required'), output: 0 })
  })

  it('an agent that does not run is refused with 4004 and what to do', async () => {
    const stopped = await its.owner.agent()
    await its.owner.ok('POST', `/agents/${stopped.name}/stop?wait=true`)
    const refused = await refusal(pathOf(stopped.name, '?mode=bash'), auth(its.owner.token))
    await its.owner.ok('DELETE', `/agents/${stopped.name}`)
    const message = `Agent '${stopped.name}' is not running. Please start it first.`
    expect(refused).toEqual({ code: 4004, frame: error(message), output: 0 })
  })

  it('a second session of the same user is refused with 4002 while the first goes on', async () => {
    const path = pathOf(its.agent.name, '?mode=bash')
    const first = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token: its.owner.token })
    const refused = await refusal(path, auth(its.owner.token))
    const message = 'You already have an active terminal session for this agent'
    expect(refused).toEqual({ code: 4002, frame: error(message), output: 0 })
    expect(await first.run('echo alive')).toContain('alive')
    await first.disconnect()
    const again = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token: its.owner.token })
    await again.disconnect()
  })
})

describe('a malicious page opens the terminal’s WebSocket:', () => {
  const { host } = new URL(baseUrl)
  it.each([
    'https://evil.example',
    'null',
    `${baseUrl}.evil.example`,
    `http://evil.${host}`,
    baseUrl.replace('http', 'https'),
    'http://127.0.0.1:1',
  ])('from %s it is refused with 403 before anything is heard, and no exec is created', async (origin) => {
    const execs = await watchExecs(its)
    onTestFinished(execs.stop)
    const client = new TerminalClient({ baseUrl, path: pathOf(its.agent.name, '?mode=bash'), origin })
    expect(await client.refused).toBe(403)
    client.cut()
    expect(await execs.count()).toBe(0)
  })

  it('from the server’s own origin it is let in', async () => {
    const client = new TerminalClient({ baseUrl, path: pathOf(its.agent.name), origin: baseUrl })
    expect(await client.refused).toBeNull()
    client.cut()
  })
})
