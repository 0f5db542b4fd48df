/** Ways to lose each file of a page once, as a network does that changes. */
import { execFile } from 'node:child_process'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { until } from '@slipway/testing'
import type { Page } from 'playwright'
import { onTestFinished } from 'vitest'

const FILES = '/assets/'
const MISSING = 'HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
/** Requests that are made together come to be known within so long, in milliseconds. */
const TOGETHER_MS = 30
/** Longest that a browser takes to hear of an interface, in milliseconds; then there is another one. */
const HEARD_WITHIN_MS = 500

/** What a GET comes to; null: to the server's answer. */
export type Fault = (path: string) => 'reset' | 'missing' | null

/** A SOCKS5 proxy (RFC 1928) of the browser's: it sees when a connection is made, and what is asked on it. */
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

  /** For the context's `proxy`. */
  get url(): string {
    return `socks5://127.0.0.1:${(this.#listener.address() as AddressInfo).port}`
  }

  /** How many connections are being made. */
  get held(): number {
    return this.#held?.length ?? 0
  }

  /** From now on no connection comes about, and none fails. */
  hold(): void {
    this.#held ??= []
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const go of held) go()
  }

  /** From now on each GET is asked about. */
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

  /** Chromium names the address, of IPv4, after four bytes, and the port in the last two. */
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
        // Only what is being connected is lost to a new interface, so that each request has a connection of its own.
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

/** The first request for each file ends with a reset; with the paths of those. */
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

/** Has pairs of interfaces come up, as that of a container does; they are gone when the test is over. Only root can do it. */
const useInterfaces = (): { bringUp: () => Promise<void> } => {
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
      // Of the range for benchmarks (RFC 2544), which nothing is routed to.
      await ip('address', 'add', `198.18.${number >> 8}.${number & 255}/32`, 'dev', name)
    },
  }
}

/**
 * From now on the first request of `page` for each file is lost to an interface that comes up while it is being connected.
 * The page's context has `tunnels` as its proxy. Answers the paths of the files that were lost.
 */
export const loseEachToInterfaces = async (page: Page, tunnels: Tunnels): Promise<ReadonlySet<string>> => {
  const { bringUp } = useInterfaces()
  const lost = new Set<string>()
  /** Paths and paused requests that are to be lost next, and paths that are being lost. */
  const due = new Map<string, string>()
  const losing = new Set<string>()
  /** Requests that wait while connections are held: the server's answers are not what is tried here. */
  let others: string[] | null = null

  page.on('requestfinished', (request) => losing.delete(new URL(request.url()).pathname))
  page.on('requestfailed', (request) => {
    const { pathname } = new URL(request.url())
    // A page that is left gives its requests up by itself.
    if (losing.delete(pathname) && request.failure()?.errorText === 'net::ERR_NETWORK_CHANGED') lost.add(pathname)
  })
  // Routes of Playwright's own would switch the browser's cache off.
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
    // A font is asked for once more when it is let through.
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
