import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { newDataDir, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ServerProcess } from './support/server/server-process.ts'

let dataDir: string
let server: ServerProcess | undefined
beforeAll(() => {
  dataDir = newDataDir()
})
afterEach(() => server?.kill())
afterAll(() => rmSync(dataDir, { recursive: true, force: true }))

/** The level of fatal entries in the log. */
const FATAL = 60

const start = async (env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> => {
  server = await ServerProcess.start({
    SLIPWAY_DATA_DIR: dataDir,
    DOCKER_HOST: 'unix:///nonexistent/docker.sock',
    ...env,
  })
  return server
}

/** A request whose body never ends. A server that stops in order waits for it, up to its limit. */
const hangingRequest = async (address: string): Promise<Socket> => {
  const socket = connect(Number(new URL(address).port), '127.0.0.1').on('error', () => undefined)
  const head = [
    'POST /api/auth/login HTTP/1.1',
    'host: x',
    'content-type: application/json',
    'content-length: 9',
    // The server answers this header once it has the request. If it were told to stop earlier, it would never know of
    // the request.
    'expect: 100-continue',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  await once(socket, 'data')
  socket.write('{')
  return socket
}

/** A first start makes a database, which takes long on a busy machine. Milliseconds. */
const STARTS_MS = 120_000

describe('a server that is told to stop', { timeout: STARTS_MS }, () => {
  it('ends with 0', async () => {
    expect(await (await start()).end('SIGTERM')).toBe(0)
  })

  // The test before has the other signal.
  longIt('ends with 0 at Ctrl+C, too', async () => {
    expect(await (await start()).end('SIGINT')).toBe(0)
  })

  it('ends in order, and with 1, after an unhandled error, says so once, and had the data of the one before', async () => {
    const mistakes = "setImmediate(() => void Promise.reject(new Error('another'))); throw new Error('a mistake')"
    const { address } = await start({
      NODE_OPTIONS: `--import "data:text/javascript,process.on('SIGUSR2', () => { ${mistakes} })"`,
      SLIPWAY_LOG_LEVEL: 'info',
    })
    expect((await fetch(`${address}/api/health`)).status).toBe(200)
    expect(await server?.end('SIGUSR2')).toBe(1)
    const lines = (server?.said ?? '').split('\n').filter((line) => line.startsWith('{'))
    const logged = lines.map((line) => JSON.parse(line) as { level: number })
    expect(logged.filter(({ level }) => level === FATAL)).toMatchObject([
      { msg: 'an unhandled error: the server ends', err: { message: 'a mistake' } },
    ])
    expect(logged.at(-1)).toMatchObject({ msg: 'stopped' })
  })

  // In the short form the first signal alone.
  longIt('exits at once on a second signal', async () => {
    const { address } = await start()
    const socket = await hangingRequest(address)
    const refuses = async () => (await fetch(`${address}/api/health`).catch(() => null))?.status !== 200
    void server?.end('SIGTERM')
    await until('the server to be stopping', refuses)
    // Within a second, two signals count as one key. A later signal is a user who wants to end the server at once.
    await pause(1_100)
    const told = performance.now()
    expect(await server?.end('SIGTERM')).toBe(128 + 15)
    expect(performance.now() - told).toBeLessThan(2_000)
    socket.destroy()
  })
})
