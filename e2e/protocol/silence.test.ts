/** Silent sockets, and programs that do not read. The tests run in parallel, because they mostly wait. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { type Agent, MAX_INPUT_BYTES } from '@slipway/protocol'
import { TerminalClient, until } from '@slipway/testing'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { FaultProxy } from '../support/network/fault-proxy.ts'
import { numbersIn } from '../support/terminal/counter.ts'

// Two pings have to go unanswered.
vi.setConfig({ testTimeout: 240_000 })
/** Two pings, as `docs/programs/terminal.md` promises, in milliseconds. */
const FOUND_WITHIN_MS = 30_000
/** Allowance for busy cores, in milliseconds. */
const SLACK_MS = 5_000

let admin: Client
beforeAll(async () => {
  admin = await signInAdmin()
})

const pathOf = (agent: Agent): string => `/agents/${agent.name}/terminal?mode=bash`
const bash = (owner: Client, agent: Agent, baseUrl = owner.baseUrl): Promise<TerminalClient> =>
  TerminalClient.open({ baseUrl, path: pathOf(agent) }, { type: 'auth', token: owner.token, v: 2 })

describe.concurrent('half-open TCP: a client that is gone', () => {
  it('is found by pings, after a message that the server is alive, and the session waits for it', async () => {
    const owner = await newUser(admin)
    const agent = await owner.agent({ runtime: 'bash', keepSeconds: 300 })
    const silent = await rawTerminal(owner, agent)
    const target = { baseUrl: owner.baseUrl, path: pathOf(agent) }
    const refused = await TerminalClient.say(target, { type: 'auth', token: owner.token })
    expect((await refused.closed).code).toBe(4002)
    await silent.closed
    // The server sent it unasked, before it closed the socket.
    expect(silent.received).toContain('{"type":"alive"}')
    const client = await until('the session to wait', () => bash(owner, agent).catch(() => null))
    await client.disconnect()
    await owner.ok('DELETE', `/agents/${agent.name}`)
  })

  it('is found as soon while its paste waits for a program that does not read', async () => {
    const owner = await newUser(admin)
    const agent = await owner.agent({ runtime: 'bash', keepSeconds: 300 })
    const network = await FaultProxy.before(owner.baseUrl)
    const client = await bash(owner, agent, network.url)
    await beDeaf(client)
    const [welcome] = client.frames
    // As much as the server allows. It still reads other messages.
    if (welcome?.type !== 'auth_success' || !welcome.inputWindow) throw new Error('no window')
    for (let sent = 0; sent < welcome.inputWindow; sent += MAX_INPUT_BYTES)
      client.type(Buffer.alloc(MAX_INPUT_BYTES, 'x'))
    client.resize(101, 31)
    await client.until('the size to be heard', () => client.text.includes('101 31'))
    network.become({ isStalled: true })
    await until('the server to give it up', () => network.connections === 0, FOUND_WITHIN_MS + SLACK_MS)
    await network.close()
    await (await bash(owner, agent)).disconnect()
    await owner.ok('DELETE', `/agents/${agent.name}`)
  })

  it('with the laptop asleep finds the same session afterwards, and every byte of what was printed meanwhile', async () => {
    const owner = await newUser(admin)
    const agent = await owner.agent({ runtime: 'bash', keepSeconds: 300 })
    const network = await FaultProxy.before(owner.baseUrl)
    const before = await bash(owner, agent, network.url)
    // A new process would start at 0.
    before.type('exec bash -c \'for ((i = 0; ; i++)); do echo "n$i"; sleep 0.05; done\'\r')
    await before.until('the counter', () => numbersIn(before.text).length > 20)
    network.become({ isStalled: true })
    await until('the server to give it up', () => network.connections === 0, FOUND_WITHIN_MS + SLACK_MS)
    // The client has not noticed the loss.
    expect(before.socket.readyState).toBe(before.socket.OPEN)
    const { text, sessionId: session, offset } = before

    network.drop()
    network.become()
    expect((await before.closed).code).toBe(1006)
    const hello = { type: 'auth', token: owner.token, v: 2, session, offset }
    const after = await TerminalClient.say({ baseUrl: network.url, path: pathOf(agent) }, hello)
    const last = numbersIn(text).at(-1) ?? 0
    // More than the program printed while the client was away.
    await after.until('the counter to go on', () => (numbersIn(after.text).at(-1) ?? 0) > last + 200)
    expect(after.frames[0]).toMatchObject({ type: 'auth_success', sessionId: session, resumed: true })
    const all = numbersIn(text + after.text)
    expect(all).toEqual(all.map((_, index) => index))
    await after.disconnect()
    await network.close()
    await owner.ok('DELETE', `/agents/${agent.name}`)
  })
})

describe.concurrent('a page that listens', () => {
  it('is told that the server is alive, once it is known who it is', async () => {
    const address = `${admin.baseUrl.replace(/^http/, 'ws')}/api/events`
    const heard: string[] = []
    const [page, nobody] = [new WebSocket(address), new WebSocket(address)]
    page.on('message', (data: Buffer) => heard.push((JSON.parse(data.toString('utf8')) as { type: string }).type))
    await once(page, 'open')
    const refused = once(nobody, 'close')
    page.send(JSON.stringify({ type: 'auth', token: admin.token }))
    await until('a sign of life', () => heard.includes('alive'), FOUND_WITHIN_MS)
    expect(heard[0]).toBe('auth_success')
    page.close()
    await refused
  })
})

describe.concurrent('a program that does not read what is pasted', () => {
  it('does not keep Disconnect from ending it', async () => {
    const owner = await newUser(admin)
    const agent = await owner.agent({ runtime: 'bash' })
    const client = await bash(owner, agent)
    await beDeaf(client)
    for (let sent = 0; sent < 16; sent++) client.type(Buffer.alloc(50_000, 'x'))
    await client.disconnect()
    // The server has read it. If it had not, the client would have given up, with 1006.
    expect((await client.closed).code).toBe(1000)
    // A session that goes on would refuse this one.
    await (await bash(owner, agent)).disconnect()
    await owner.ok('DELETE', `/agents/${agent.name}`)
  })
})

/** Reads nothing, and reports each size that it gets. A signal may interrupt it while it prints, so it writes at once. */
const DEAF = `
import os, signal, time, tty
tty.setraw(0)
signal.signal(signal.SIGWINCH, lambda *_: os.write(1, b'%d %d\\r\\n' % tuple(os.get_terminal_size())))
os.write(1, b'dea' + b'f\\r\\n')
while True: time.sleep(900)`

const beDeaf = async (client: TerminalClient): Promise<void> => {
  client.type(`python3 -c "$(echo ${Buffer.from(DEAF).toString('base64')} | base64 -d)"\r`)
  await client.until('the program to run', () => client.text.includes('deaf'))
}

/** A minimal WebSocket client. It opens a terminal, and never answers a ping. */
const rawTerminal = async (owner: Client, agent: Agent) => {
  const { hostname, port } = new URL(owner.baseUrl)
  const socket = connect(Number(port), hostname)
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  socket.on('error', () => undefined)
  const upgrade = [
    `GET /api/agents/${agent.name}/terminal?mode=bash HTTP/1.1`,
    `host: ${hostname}:${port}`,
    'connection: upgrade',
    'upgrade: websocket',
    'sec-websocket-version: 13',
    'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
    '\r\n',
  ]
  socket.write(upgrade.join('\r\n'))
  await until('the upgrade', () => received.includes('101 Switching'))
  const payload = Buffer.from(JSON.stringify({ type: 'auth', token: owner.token, v: 2 }))
  // A masked text frame (RFC 6455, 5.2) with a length of two bytes and a mask of zeros.
  const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  socket.write(Buffer.concat([head, payload]))
  await until('auth_success', () => received.includes('auth_success'))
  return {
    closed,
    get received() {
      return received
    },
  }
}
