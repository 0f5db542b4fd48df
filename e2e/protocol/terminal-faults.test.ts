/** What happens to sessions when the server is killed, is flooded, or the other end falls silent. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Agent, AgentProcess } from '@slipway/protocol'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../support/api.ts'
import { processesIn, removeNamespace } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'
import { TerminalClient } from '../support/terminal.ts'
import { until } from '../support/until.ts'

// Each starts a server of its own, and one waits for two pings to go unanswered.
vi.setConfig({ testTimeout: 240_000 })

let cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.reverse()) await clean()
  cleanups = []
})

/** A server that may be killed, and come back on the same data. */
const restartable = async () => {
  const namespace = newNamespace()
  const dataDir = mkdtempSync(join(tmpdir(), 'slipway-e2e-'))
  cleanups.push(
    () => rmSync(dataDir, { recursive: true }),
    () => removeNamespace(namespace),
  )
  const start = async (): Promise<Server> => {
    const server = await startServer({ namespace, dataDir })
    cleanups.push(() => server.stop())
    return server
  }
  return { namespace, start }
}

const bash = (admin: Client, agent: Agent): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl: admin.baseUrl, path: `/agents/${agent.name}/terminal?mode=bash` },
    { type: 'auth', token: admin.token, v: 2 },
  )

describe('what lives on beside a terminal', () => {
  it('is listed with its origin after the server was killed and the terminal ended, and can be ended', async () => {
    const { namespace, start } = await restartable()
    const first = await start()
    const before = await signInAdmin(first.baseUrl)
    const agent = await before.agent({ keepSeconds: 300 })
    const client = await bash(before, agent)
    await client.run('sleep 4242 & nohup sleep 4343 >/dev/null 2>&1 & true')
    const container = `${namespace}-agent-${agent.name}`
    // Before it has become its program, nohup is hung up like any other.
    await until('the detached one', async () => (await processesIn(container)).includes('sleep 4343'))
    first.process.kill('SIGKILL')
    expect((await client.closed).code).toBe(1006)

    const second = await start()
    const after = await signInAdmin(second.baseUrl)
    const held = (await processesIn(container)).filter((line) => line.includes('sleep 4'))
    expect(held).toEqual(['sleep 4242', 'sleep 4343'])
    expect(await after.ok('GET', `/agents/${agent.name}/processes`)).toEqual({ items: [], nextCursor: null })
    await (await bash(after, agent)).disconnect()
    await until('the end of the terminal', async () => !(await processesIn(container)).includes('sleep 4242'))
    const { items } = await after.ok<{ items: AgentProcess[] }>('GET', `/agents/${agent.name}/processes`)
    expect(items).toMatchObject([
      { command: 'sleep 4343', ignoresHangup: true, origin: { mode: 'bash', email: after.email } },
    ])
    const pid = items[0]?.pid ?? 0
    await after.ok('DELETE', `/agents/${agent.name}/processes/${pid}`)
    expect((await after.call('DELETE', `/agents/${agent.name}/processes/${pid}`)).status).toBe(404)
    expect(await after.ok('GET', `/agents/${agent.name}/processes`)).toEqual({ items: [], nextCursor: null })
  })
})

describe('a client that does not read', () => {
  it('neither grows the memory of the server nor slows another session', async () => {
    const { start } = await restartable()
    const server = await start()
    const admin = await signInAdmin(server.baseUrl)
    const [flooded, calm] = await Promise.all([admin.agent(), admin.agent()])
    const reader = await bash(admin, calm)
    const mute = await bash(admin, flooded)
    await reader.run('true')
    const before = residentBytes(server)
    mute.socket.pause()
    mute.type('cat /dev/zero | tr "\\0" x\r')
    const echoes: number[] = []
    for (let round = 0; round < 30; round++) {
      const from = performance.now()
      await reader.run(`echo round ${round}`)
      echoes.push(performance.now() - from)
    }
    const grown = residentBytes(server) - before
    mute.socket.terminate()
    // The session's log, the window and what the runtime holds for two sessions; an unbounded flood makes hundreds.
    expect(grown).toBeLessThan(64 * 1024 * 1024)
    expect(echoes.sort((a, b) => a - b)[15]).toBeLessThan(500)
  })
})

describe('a program that does not read what is pasted', () => {
  it('does not keep Disconnect from ending it', async () => {
    const { start } = await restartable()
    const server = await start()
    const admin = await signInAdmin(server.baseUrl)
    const agent = await admin.agent()
    const client = await bash(admin, agent)
    client.type('python3 -c \'import tty,time; tty.setraw(0); print("dea" + "f", flush=True); time.sleep(900)\'\r')
    await client.until('the program to run', () => client.text.includes('deaf'))
    for (let sent = 0; sent < 16; sent++) client.type(Buffer.alloc(50_000, 'x'))
    const from = performance.now()
    await client.disconnect()
    await (await bash(admin, agent)).disconnect()
    expect(performance.now() - from).toBeLessThan(10_000)
  })
})

describe('a half-open socket', () => {
  it('is found by pings, and its session waits for its user', async () => {
    const { start } = await restartable()
    const server = await start()
    const admin = await signInAdmin(server.baseUrl)
    const agent = await admin.agent({ keepSeconds: 300 })
    const silent = await rawTerminal(admin, agent)
    const refused = new TerminalClient({ baseUrl: admin.baseUrl, path: `/agents/${agent.name}/terminal?mode=bash` })
    await refused.refused
    refused.send({ type: 'auth', token: admin.token })
    expect((await refused.closed).code).toBe(4002)
    await silent.closed
    const client = await until('the session to wait', () => bash(admin, agent).catch(() => null))
    await client.disconnect()
  })
})

/** Speaks just enough WebSocket to open a terminal, and never answers a ping. */
const rawTerminal = async (admin: Client, agent: Agent) => {
  const { hostname, port } = new URL(admin.baseUrl)
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
  const payload = Buffer.from(JSON.stringify({ type: 'auth', token: admin.token }))
  // A masked text frame (RFC 6455, 5.2) with a length of two bytes and a mask of zeros.
  const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0])
  socket.write(Buffer.concat([head, payload]))
  await until('auth_success', () => received.includes('auth_success'))
  return { closed }
}

const residentBytes = (server: Server): number => {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
