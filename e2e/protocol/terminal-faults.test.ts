/** Sessions when the server is killed, or flooded. */
// In the short form `slow-viewer.test.ts` has viewers that do not read, `../tasks/custom/server.test.ts` what a flood costs the server,
// and `../tasks/custom/faults.test.ts` a process that stays, with its origin.
import '@slipway/testing/long'
import { readFileSync, rmSync } from 'node:fs'
import type { Agent, AgentProcess } from '@slipway/protocol'
import { newDataDir, TerminalClient, until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, signInAdmin } from '../support/api.ts'
import { processesIn, removeNamespace } from '../support/engine.ts'
import { newNamespace, type Server, startServer } from '../support/server.ts'

/**
 * Most memory for a client that does not read, in bytes. Without any bound, a flood would take hundreds of megabytes. A
 * session that waits for the client would never answer. `npm run bench -- flood` has the real figures.
 */
const GROWN_BYTES = 64 * 1024 * 1024
const ECHO_MS = 5_000

/** A server of its own, which is killed and restarted with the same data. */
let namespace: string
let dataDir: string
let server: Server
const start = async (): Promise<void> => {
  server = await startServer({ namespace, dataDir })
}

beforeAll(async () => {
  namespace = newNamespace()
  dataDir = newDataDir()
  await start()
})
afterAll(async () => {
  await server.stop()
  await removeNamespace(namespace)
  rmSync(dataDir, { recursive: true })
})

const bash = (admin: Client, agent: Agent): Promise<TerminalClient> =>
  TerminalClient.open(
    { baseUrl: admin.baseUrl, path: `/agents/${agent.name}/terminal?mode=bash` },
    { type: 'auth', token: admin.token, v: 2 },
  )

describe('a reader that does not read', () => {
  it('neither grows the memory of the server nor slows another session', async () => {
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
    mute.cut()
    // The session's log, the window, and the runtime's buffers, for two sessions.
    expect(grown).toBeLessThan(GROWN_BYTES)
    expect(echoes.sort((a, b) => a - b)[15]).toBeLessThan(ECHO_MS)
  })
})

describe('what lives on beside a terminal', () => {
  it('is listed with its origin after the server was killed and the terminal ended, and can be ended', async () => {
    const before = await signInAdmin(server.baseUrl)
    const agent = await before.agent({ keepSeconds: 300 })
    const client = await bash(before, agent)
    await client.run('sleep 4242 & nohup sleep 4343 >/dev/null 2>&1 & true')
    const container = `${namespace}-agent-${agent.name}`
    // Until nohup has executed its program, a hang-up ends it.
    await until('the detached one', async () => (await processesIn(container)).includes('sleep 4343'))
    server.process.kill('SIGKILL')
    expect((await client.closed).code).toBe(1006)

    await start()
    const after = await signInAdmin(server.baseUrl)
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

const residentBytes = (server: Server): number => {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024
}
