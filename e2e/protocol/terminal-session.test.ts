/** A session from the client's side: bytes, sizes, ends, and the rights that keep it open. */
import { createHash, randomBytes } from 'node:crypto'
import { type PlatformEvent, REFRESH_KEY_HEADER, type SignedIn, WINDOW_BYTES } from '@slipway/protocol'
import { disconnectAll, TerminalClient, until } from '@slipway/testing'
import { afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, PASSWORD, signIn, signInAdmin } from '../support/api.ts'
import { processesIn } from '../support/engine.ts'
import { useAgent } from '../support/use-agent.ts'

const baseUrl = inject('baseUrl')
let admin: Client
const its = useAgent()

beforeAll(async () => {
  admin = await signInAdmin()
})
afterEach(disconnectAll)

const bash = (client: Client, name = its.agent.name, first: object = {}): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl, path: `/agents/${name}/terminal?mode=bash` },
    { type: 'auth', token: client.token, ...first },
  )
const container = (name = its.agent.name): string => `${inject('namespace')}-agent-${name}`
const endOf = async (client: TerminalClient) => ({ ...(await client.closed), frame: client.frames.at(-1) })

describe('a plain client', () => {
  it('is sent auth_success with nothing else in it, then the program as binary', async () => {
    const client = await bash(its.owner)
    expect(client.frames).toEqual([{ type: 'auth_success' }])
    expect(await client.run('id -un')).toContain('developer')
    await client.disconnect()
  })

  it('may type text as well as binary, and text that looks like JSON', async () => {
    const client = await bash(its.owner)
    client.socket.send(`echo '{"type":"resiz"}' | wc -c\r`)
    await client.until('the count', () => /\b17\b/.test(client.text))
    client.socket.send('{"type":"nothing"}\r')
    await client.until('the shell to take it as a command', () => client.text.includes('command not found'))
    await client.disconnect()
  })

  it('resizes the terminal; of 1,000 resizes a second the last counts, and impossible ones do nothing', async () => {
    const client = await bash(its.owner)
    for (let cols = 20; cols < 1020; cols++) client.send({ type: 'resize', cols: (cols % 900) + 20, rows: 40 })
    client.send({ type: 'resize', cols: 101, rows: 33 })
    for (const cols of [0, -1, 1e9, 1.5, '80', null, {}]) client.send({ type: 'resize', cols, rows: 24 })
    await until('the size to arrive', async () => (await client.run('stty size')).includes('33 101'))
    await client.disconnect()
  })

  it('gets every byte through in both directions', async () => {
    const client = await bash(its.owner)
    await client.run('stty raw -echo')
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at))
    // The length marks the end of the input, because raw mode has no key for it.
    client.type('head -c 256 | od -An -v -tu1 | tr -d "\\n "; echo END\r')
    await until('head to read', async () =>
      (await processesIn(container())).some((line) => line.startsWith('head -c 256')),
    )
    client.type(bytes)
    await client.until('the bytes back', () => client.text.includes('END'))
    expect(client.text).toContain([...bytes].join(''))
    await client.disconnect()
  })

  it('pastes megabytes whole', async () => {
    const client = await bash(its.owner)
    const paste = randomBytes(3 * 1024 * 1024)
    await client.run('stty raw -echo')
    client.type(`head -c ${paste.length} | sha256sum; echo END\r`)
    await until('head to read', async () => (await processesIn(container())).some((line) => line.startsWith('head -c')))
    for (let at = 0; at < paste.length; at += 65_536) client.type(paste.subarray(at, at + 65_536))
    await client.until('the sum', () => client.text.includes('END'))
    expect(client.text).toContain(createHash('sha256').update(paste).digest('hex'))
    await client.disconnect()
  })

  it('is cut off with 1009 when a frame is too large', async () => {
    const client = await bash(its.owner)
    client.type(Buffer.alloc(65_537))
    expect(await client.closed).toMatchObject({ code: 1009 })
  })
})

describe('a version 2 client', () => {
  it('starts with its own size, and is told it with the session and the offset, also when it comes back', async () => {
    // An agent whose sessions wait for a reconnect.
    const other = await its.owner.agent({ runtime: 'bash', keepSeconds: 300 })
    const size = { cols: 133, rows: 44 }
    const client = await bash(its.owner, other.name, { v: 2, ...size })
    const [welcome] = client.frames
    expect(welcome).toMatchObject({ type: 'auth_success', offset: 0, sessionId: expect.any(String), ...size })
    expect(await client.run('stty size')).toContain('44 133')
    client.cut()
    await client.closed
    const { sessionId } = client
    // The client gets the size of the screen it is shown, and then asks for its own.
    const back = await bash(its.owner, other.name, { v: 2, session: sessionId, cols: 91, rows: 27 })
    expect(back.frames[0]).toMatchObject({ type: 'auth_success', resumed: true, sessionId, ...size })
    back.resize(91, 27)
    expect(await back.run('stty size')).toContain('27 91')
    back.cut()
    await back.closed
    const again = await bash(its.owner, other.name, { v: 2, session: sessionId })
    expect(again.frames[0]).toMatchObject({ type: 'auth_success', resumed: true, cols: 91, rows: 27 })
    await again.disconnect()
    await its.owner.ok('DELETE', `/agents/${other.name}`)
  })

  it('is sent no more than a window ahead of what it has acknowledged', async () => {
    const client = await bash(its.owner, its.agent.name, { v: 2 })
    client.type('yes | head -c 8000000; exec sleep 4713\r')
    await client.until('the window to fill', () => client.received > WINDOW_BYTES)
    // A client that acknowledges nothing does not get the end.
    await until('it to be over', async () => (await processesIn(its.container)).includes('sleep 4713'))
    // One read from the engine's socket may exceed the window.
    expect(client.received).toBeLessThan(2 * WINDOW_BYTES)
    await client.disconnect()
  })
})

describe('the end of a session', () => {
  it('says the exit code of the program', async () => {
    const client = await bash(its.owner, its.agent.name, { v: 2 })
    client.type('exit 7\r')
    const message = 'Bash ended (exit code 7).'
    const frame = { type: 'error', message, close: true, reason: 'exited', exitCode: 7 }
    expect(await endOf(client)).toEqual({ code: 1000, reason: message, frame })
  })

  it('says that memory ran out', async () => {
    const small = await its.owner.agent({ memoryMb: 128 })
    const client = await bash(its.owner, small.name, { v: 2 })
    client.type('exec tail /dev/zero\r')
    expect(await endOf(client)).toMatchObject({ code: 1000, frame: { reason: 'out_of_memory', exitCode: 137 } })
    await its.owner.ok('DELETE', `/agents/${small.name}`)
  })

  it('gives the program its time to save before the agent is stopped', async () => {
    const other = await its.owner.agent()
    const client = await bash(its.owner, other.name)
    await client.run(`trap 'sleep 1; echo saved >~/saved; exit' HUP; true`)
    await its.owner.ok('POST', `/agents/${other.name}/restart?wait=true`)
    const again = await bash(its.owner, other.name)
    expect(await again.run('cat ~/saved')).toContain('saved')
    await again.disconnect()
    await its.owner.ok('DELETE', `/agents/${other.name}`)
  })

  it('tells two people of their ends apart', async () => {
    const colleague = await newUser(admin)
    await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
    const [mine, theirs] = await Promise.all([bash(its.owner), bash(colleague)])
    theirs.type('exit 3\r')
    expect(await theirs.closed).toMatchObject({ code: 1000 })
    expect(await mine.run('echo still here')).toContain('still here')
    await mine.disconnect()
  })
})

describe('a page that listens', () => {
  it('is told at once who is in which terminal, and when they leave', async () => {
    const client = await bash(its.owner)
    const listen = (who: Client) =>
      TerminalClient.open({ baseUrl, path: '/events' }, { type: 'auth', token: who.token })
    const from = performance.now()
    const page = await listen(its.owner)
    const events = () => page.frames as object[] as PlatformEvent[]
    const told = () =>
      events().flatMap((event) => (event.type === 'sessions' && event.agentId === its.agent.id ? [event.sessions] : []))
    const isEmpty = (): boolean => told().at(-1)?.length === 0
    await page.until('who is there', () => told().length > 0)
    // It may come twice: as the greeting, and as the news of a change right before.
    expect(told()[0]).toMatchObject([{ email: its.owner.email, mode: 'bash' }])
    await client.disconnect()
    await page.until('the empty list of sessions', isEmpty)
    const again = await bash(its.owner)
    await page.until('who is there again', () => !isEmpty())
    await again.disconnect()
    await page.until('the empty list again', isEmpty)
    // The agent itself has not changed. That something happens in it is told at most once a minute.
    const minutes = Math.floor((performance.now() - from) / 60_000)
    const ofAgent = events().filter((event) => event.type === 'agent' && event.agent.id === its.agent.id)
    expect(ofAgent.length).toBeLessThanOrEqual(1 + minutes)
    const stranger = await listen(await newUser(admin))
    expect(JSON.stringify(stranger.frames)).not.toContain(its.agent.id)
  })
})

describe('token or share revoked, agent deleted in mid-session: the server', () => {
  const takeAway: [string, (colleague: Client) => Promise<unknown>, number][] = [
    ['a share', (colleague) => its.owner.ok('DELETE', `${its.path}/shares/${colleague.userId}`), 4003],
    ['the account', (colleague) => admin.ok('PATCH', `/users/${colleague.userId}`, { disabled: true }), 4003],
  ]
  it.each(takeAway)(
    'closes the terminal when %s is taken, and no key is executed after it',
    async (_what, take, code) => {
      const colleague = await newUser(admin)
      await its.owner.ok('POST', `${its.path}/shares`, { email: colleague.email })
      const client = await bash(colleague, its.agent.name, { v: 2 })
      await take(colleague)
      // The right is gone with the answer. The request itself may take longer on a busy machine.
      const from = performance.now()
      client.type('touch /home/developer/after-revocation\r')
      expect(await endOf(client)).toMatchObject({ code, frame: { reason: 'access_revoked' } })
      expect(performance.now() - from).toBeLessThan(2000)
      const mine = await bash(its.owner)
      expect(await mine.run('ls /home/developer/after-revocation')).toContain('No such file')
      await mine.disconnect()
    },
  )

  it('says that the agent was stopped, and that it was deleted', async () => {
    const other = await its.owner.agent()
    const first = await bash(its.owner, other.name, { v: 2 })
    await its.owner.ok('POST', `/agents/${other.name}/stop?wait=true`)
    expect(await endOf(first)).toMatchObject({ code: 4004, frame: { reason: 'container_stopped' } })
    await its.owner.ok('POST', `/agents/${other.name}/start?wait=true`)
    const second = await bash(its.owner, other.name, { v: 2 })
    await its.owner.ok('DELETE', `/agents/${other.name}`)
    expect(await endOf(second)).toMatchObject({ code: 4004, frame: { reason: 'agent_deleted' } })
  })

  it('closes the terminals of a sign-in that signs out', async () => {
    const user = await newUser(admin)
    const own = await user.agent()
    const response = await fetch(`${baseUrl}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: user.email, password: PASSWORD }),
    })
    const { accessToken, refreshKey } = (await response.json()) as SignedIn
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const path = `/agents/${own.name}/terminal?mode=bash`
    const client = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token: accessToken, v: 2 })
    await fetch(`${baseUrl}/api/auth/logout`, { method: 'POST', headers: { cookie, [REFRESH_KEY_HEADER]: refreshKey } })
    expect(await endOf(client)).toMatchObject({ code: 4001, frame: { reason: 'access_revoked' } })
    await user.ok('DELETE', `/agents/${own.name}`)
  })

  it('takes an API token with the scope for terminals, until that is revoked', async () => {
    const { id, token } = await its.owner.apiToken('terminal')
    const path = `${its.path}/terminal?mode=bash`
    const client = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token, v: 2 })
    expect(await client.run('echo by token')).toContain('by token')
    await its.owner.ok('DELETE', `/tokens/${id}`)
    expect(await endOf(client)).toMatchObject({ frame: { reason: 'access_revoked' } })
  })

  it("ends an admin's terminal in another user's agent when the role is taken, but not in their own", async () => {
    const email = `${its.owner.userId.slice(-6)}-second@example.org`
    const { id } = await admin.ok<{ id: string }>('POST', '/users', { email, role: 'admin', password: PASSWORD })
    const second = await signIn(email, PASSWORD)
    const own = await second.agent()
    const [theirs, mine] = await Promise.all([bash(second, its.agent.name, { v: 2 }), bash(second, own.name)])
    await admin.ok('PATCH', `/users/${id}`, { role: 'user' })
    expect(await endOf(theirs)).toMatchObject({ code: 4003, frame: { reason: 'access_revoked' } })
    expect(await mine.run('echo mine')).toContain('mine')
    await mine.disconnect()
    await admin.ok('DELETE', `/agents/${own.name}`)
  })
})
