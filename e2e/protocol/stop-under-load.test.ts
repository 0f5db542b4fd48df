// A server is stopped under full load, and started again.
// In the short form terminal-survives.test.ts has a server that stops in order.
import '@slipway/testing/long'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { Agent as Connections, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Agent } from '@slipway/protocol'
import { disconnectAll, newDataDir, TerminalClient, until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signIn, signInAdmin } from '../support/api.ts'
import { docker, processesIn, removeNamespace } from '../support/engine.ts'
import { ADMIN, newNamespace, type Server, startServer } from '../support/server.ts'

/** Terminals that each stream about a megabyte a second, each of another user. */
const TERMINALS = 8
/** Clients that request the list of agents, one request after another. */
const ASKERS = 10
/**
 * Far below the limit of 45 s for a stop, in milliseconds. A hang-up takes a second, and five more if a program ignores
 * it.
 */
const STOPS_WITHIN_MS = 25_000
/** Longest wait on a busy machine, in milliseconds. */
const PATIENCE_MS = 60_000
const UPLOAD_BYTES = 4 * 2 ** 20
/** The tests find its processes by this name. */
const STREAM = `bash -c 'while :; do head -c 20000 /dev/zero | base64; sleep 0.02; done' streamer\r`

let namespace: string
let dataDir: string
let server: Server
let admin: Client
let users: Client[]
let agent: Agent

beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  server = await startServer({ namespace, dataDir })
  admin = await signInAdmin(server.baseUrl)
  agent = await admin.agent({ runtime: 'bash', keepSeconds: 300 })
  users = await Promise.all(Array.from({ length: TERMINALS }, () => newUser(admin)))
  for (const { email } of users) await admin.ok('POST', `/agents/${agent.name}/shares`, { email })
})
afterAll(async () => {
  await disconnectAll()
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true, force: true })
})

const terminalOf = async ({ baseUrl, token }: Client): Promise<TerminalClient> => {
  const path = `/agents/${agent.name}/terminal?mode=bash`
  const terminal = await TerminalClient.open({ baseUrl, path }, { type: 'auth', token, v: 1 })
  await terminal.until('a prompt', () => terminal.text.includes('$ '))
  return terminal
}

/** Result of one request: its status and code, or the error of a failed connection. */
interface Outcome {
  readonly status: number
  readonly code?: string
  readonly error?: string
}

/** Each request uses a connection of its own, as from many clients. */
const ask = (path: string, token: string): Promise<Outcome> =>
  new Promise((resolve) => {
    const headers = { authorization: `Bearer ${token}` }
    request(`${server.baseUrl}/api${path}`, { headers, agent: false }, (response) => {
      text(response).then(
        (body) => {
          const { code } = JSON.parse(body) as { code?: string }
          resolve({ status: response.statusCode ?? 0, ...(code === undefined ? {} : { code }) })
        },
        (error: unknown) => resolve({ status: 0, error: `cut short: ${String(error)}` }),
      )
    })
      .on('error', (error: NodeJS.ErrnoException) => resolve({ status: 0, error: error.code ?? '' }))
      .end()
  })

/** An upload that sends half of its file at once, and the rest on request. */
const beginUpload = (path: string) => {
  const half = Buffer.alloc(UPLOAD_BYTES / 2, 'x')
  const connections = new Connections({ keepAlive: true })
  const sent = request(`${server.baseUrl}/api/agents/${agent.name}/files?path=${path}`, {
    method: 'PUT',
    agent: connections,
    headers: { authorization: `Bearer ${admin.token}`, 'content-length': UPLOAD_BYTES, 'content-type': 'text/plain' },
  })
  sent.write(half)
  const status = once(sent, 'response').then(([response]) => (response as { statusCode: number }).statusCode)
  // Read only if everything before succeeded.
  status.catch(() => undefined).finally(() => connections.destroy())
  return {
    status,
    finish: () => sent.end(half),
  }
}

describe('a busy server that is told to stop', () => {
  it('finishes what it began, says why to the others, and leaves the agents to themselves', async () => {
    const keeper = await terminalOf(admin)
    await keeper.run('(setsid sleep 86399 > /dev/null 2>&1 < /dev/null &)')
    const terminals = await Promise.all(users.map(terminalOf))
    for (const terminal of terminals) terminal.type(STREAM)
    await Promise.all(terminals.map((one) => one.until('a megabyte', () => one.received > 2 ** 20)))

    expect((await ask('/health/ready', admin.token)).status).toBe(200)
    const outcomes: Outcome[] = []
    let isOver = false
    const askers = Array.from({ length: ASKERS }, async () => {
      while (!isOver) outcomes.push(await ask('/agents', admin.token))
    })
    const upload = beginUpload('uploaded.bin')
    await until('requests to be under way', () => outcomes.length >= 5 * ASKERS, PATIENCE_MS)

    const exited = once(server.process, 'exit') as Promise<[number | null]>
    const answered = outcomes.length
    const toldAt = performance.now()
    server.process.kill('SIGTERM')
    const unready = await until('not to be ready', async () => {
      const outcome = await ask('/health/ready', admin.token)
      // With so many clients, the database may take longer than the readiness check waits.
      return outcome.status !== 200 && outcome.code !== 'DATABASE_UNAVAILABLE' && outcome
    })
    expect(unready).toMatchObject({ status: 503, code: 'SERVER_STOPPING' })
    upload.finish()
    expect(await upload.status).toBe(204)

    for (const one of [keeper, ...terminals]) {
      expect(await one.closed).toEqual({ code: 1001, reason: expect.stringContaining('server is stopping') as string })
      expect(one.frames.at(-1)).toMatchObject({ type: 'error', close: true })
    }
    const [exitCode] = await exited
    expect(exitCode).toBe(0)
    expect(performance.now() - toldAt).toBeLessThan(STOPS_WITHIN_MS)
    isOver = true
    await Promise.all(askers)

    // Requests that had begun are answered. Later ones get an error, or find no server. None is cut off.
    const known = (outcome: Outcome): boolean =>
      outcome.status === 200 ||
      outcome.code === 'SERVER_STOPPING' ||
      outcome.error === 'ECONNREFUSED' ||
      // The kernel accepted the connection while the server closed its socket.
      outcome.error === 'ECONNRESET'
    expect(outcomes.filter((outcome) => !known(outcome))).toEqual([])
    expect(outcomes.some(({ code }) => code === 'SERVER_STOPPING')).toBe(true)
    expect(outcomes.slice(0, answered).every(({ status }) => status === 200)).toBe(true)

    const { State } = await docker.getContainer(`${namespace}-agent-${agent.name}`).inspect()
    expect(State.Running).toBe(true)
    // Once its log is full, a terminal's program waits for its user. A child between fork and exec has the same name.
    const commands = await until(
      'each of the streams to wait',
      async () => {
        const all = await processesIn(`${namespace}-agent-${agent.name}`)
        return all.filter((command) => command.includes('streamer')).length === TERMINALS && all
      },
      PATIENCE_MS,
    )
    expect(commands.filter((command) => command.includes('sleep 86399'))).toHaveLength(1)
  })

  it('serves the same agents when it is started again', async () => {
    server = await startServer({ namespace, dataDir })
    const again = await signIn(ADMIN.email, ADMIN.password, server.baseUrl)
    expect(await again.ok<Agent>('GET', `/agents/${agent.name}`)).toMatchObject({ state: 'running' })
    const terminal = await terminalOf(again)
    expect(await terminal.run('stat -c %s uploaded.bin')).toContain(String(UPLOAD_BYTES))
    const commands = await processesIn(`${namespace}-agent-${agent.name}`)
    expect(commands.filter((command) => command.includes('sleep 86399'))).toHaveLength(1)
  })
})
