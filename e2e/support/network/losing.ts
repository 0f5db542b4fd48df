/** Ways to lose each file of a page once, as a changing network does. */
import { execFile } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { onTestFinished } from 'vitest'

const FILES = '/assets/'
const MISSING = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
/** Requests that the page makes together are reported within this time, in milliseconds. */
const TOGETHER_MS = 30
/** Longest time until a browser notices a new interface, in milliseconds. After that the test brings up another one. */
const HEARD_WITHIN_MS = 500

/** The fault for a GET. Null lets the server answer. */
export type Fault = (path: string) => 'reset' | 'missing' | null

/** A SOCKS5 proxy (RFC 1928) for the browser. It sees each connection and each request on it. */
export class Tunnels {
  readonly #sockets = new Set<Socket>()
  readonly #listener = createServer((client) => this.#greet(client))
  #held: (() => void)[] | null = null
  #fault: Fault = () => null

  static async open(): Promise<Tunnels> {
    const tunnels = new Tunnels()
    await new Promise<void>((resolve) => tunnels.#listener.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => tunnels.#close())
    return tunnels
  }

  /** For the context's `proxy` option. */
  get url(): string {
    return `socks5://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`
  }

  /** Number of connections that are being opened. */
  get held(): number {
    return this.#held?.length ?? 0
  }

  /** From now on connections stay half open: they neither succeed nor fail. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const go of held) go()
  }

  /** From now on `fault` decides about each GET. */
  become(fault: Fault): void {
    this.#fault = fault
  }

  #greet(client: Socket): void {
    this.#keep(client)
    client.once('data', () => {
      client.write(Uint8Array.of(5, 0))
      client.once('data', (request: Buffer) => {
        const go = (): void => this.#join(client, request)
        if (this.#held) this.#held.push(go)
        else go()
      })
    })
  }

  /** Chromium sends the IPv4 address after four bytes, and the port in the last two. */
  #join(client: Socket, request: Buffer): void {
    if (client.destroyed) return
    const server = connect(request.readUInt16BE(request.length - 2), '127.0.0.1')
    this.#keep(server)
    client.write(Uint8Array.of(5, 0, 0, 1, 0, 0, 0, 0, 0, 0))
    server.pipe(client)
    server.on('close', () => client.destroy())
    client.on('close', () => server.destroy())
    client.on('data', (bytes: Buffer) => {
      const [, path = ''] = /^GET (\S+) HTTP/.exec(bytes.subarray(0, 500).toString('latin1')) ?? []
      const fault = path === '' ? null : this.#fault(path)
      if (fault === 'reset') client.resetAndDestroy()
      else if (fault === 'missing') client.end(MISSING)
      else {
        // A new interface breaks only connections that are being opened, so each request needs its own.
        server.write(
          Buffer.from(bytes.toString('latin1').replace('Connection: keep-alive', 'Connection: close'), 'latin1'),
        )
      }
    })
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#sockets.delete(socket))
  }

  async #close(): Promise<void> {
    this.#held = null
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#listener.close(resolve))
  }
}

/** Resets the first request for each file. Returns the set of their paths. */
export const resetEach = (tunnels: Tunnels): ReadonlySet<string> => {
  const lost = new Set<string>()
  tunnels.become((path) => {
    if (!path.startsWith(FILES) || lost.has(path)) return null
    lost.add(path)
    return 'reset'
  })
  return lost
}

let interfaces = 0

/** Brings up pairs of interfaces, as each container does, and removes them after the test. This needs root. */
export const useInterfaces = (): { bringUp: () => Promise<void> } => {
  const made: string[] = []
  const ip = (...argv: string[]): Promise<unknown> => promisify(execFile)('ip', argv)
  onTestFinished(async () => {
    for (const name of made) await ip('link', 'del', name)
  })
  return {
    bringUp: async () => {
      const number = (interfaces += 1)
      const name = `sl${process.pid}n${number}`
      await ip('link', 'add', name, 'type', 'veth', 'peer', 'name', `${name}p`)
      made.push(name)
      for (const each of [`${name}p`, name]) await ip('link', 'set', each, 'up')
      // An address of the range for benchmarks (RFC 2544), which is not routed.
      await ip('address', 'add', `198.18.${number >> 8}.${number & 255}/32`, 'dev', name)
    },
  }
}

/**
 * Loses the first request of `page` for each file: an interface comes up while the request connects. The page's context
 * must use `tunnels` as its proxy. Returns the paths of lost files.
 */
export const loseEachToInterfaces = async (page: Page, tunnels: Tunnels): Promise<ReadonlySet<string>> => {
  const { bringUp } = useInterfaces()
  const lost = new Set<string>()
  /** Paths and paused requests to lose next, and paths whose requests are being lost. */
  const due = new Map<string, string>()
  const losing = new Set<string>()
  /** Requests that wait while connections are held, because this is not about the server's responses. */
  let others: string[] | null = null

  page.on('requestfinished', (request) => losing.delete(new URL(request.url()).pathname))
  page.on('requestfailed', (request) => {
    const { pathname } = new URL(request.url())
    // A page that is left cancels its own requests.
    if (losing.delete(pathname) && request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED') lost.add(pathname)
  })
  // Playwright's own routes would switch off the browser's cache.
  const devTools = await page.context().newCDPSession(page)
  const go = (requestId: string): Promise<unknown> =>
    devTools.send('Fetch.continueRequest', { requestId }).catch(() => undefined)
  const areLost = (): boolean => losing.size === 0

  const loseThose = async (): Promise<void> => {
    others = []
    while (due.size > 0) {
      const requests = [...due.values()]
      for (const path of due.keys()) losing.add(path)
      due.clear()
      tunnels.hold()
      await Promise.all(requests.map(go))
      await until('connections', () => tunnels.held > 0 || areLost())
      while (!areLost()) {
        await bringUp()
        await until('the loss', areLost, HEARD_WITHIN_MS).catch(() => undefined)
      }
      tunnels.release()
    }
    const waiting = others
    others = null
    await Promise.all(waiting.map(go))
  }

  devTools.on('Fetch.requestPaused', ({ requestId, request }) => {
    const { pathname } = new URL(request.url)
    // A font's request pauses once more after it continues.
    if (losing.has(pathname)) return void go(requestId)
    if (!pathname.startsWith(FILES) || lost.has(pathname)) {
      if (others) others.push(requestId)
      else void go(requestId)
      return
    }
    due.set(pathname, requestId)
    if (due.size === 1 && !others) setTimeout(() => void loseThose(), TOGETHER_MS)
  })
  await devTools.send('Fetch.enable')
  return lost
}
