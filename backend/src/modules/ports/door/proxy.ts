/** Passes requests and WebSockets on to the app behind a port. Nothing is buffered. */
import { type ClientRequest, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { MINUTE_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import type { Log } from '../../../lib/log.ts'
import type { Dials } from '../dial/dials.ts'
import { PortPool } from '../dial/pool.ts'
import { DialError } from '../dial/streams.ts'
import type { Entry } from '../entries.ts'
import type { PortHost } from '../host.ts'
import { type Origins, toApp, toBrowser } from './headers.ts'
import { notUpPage, PAGE_HEADERS } from './pages.ts'

/** Most ports whose connections are kept open between requests. */
const POOLS_MAX = 256
/** A connection of a browser on which nothing moves is closed after this time, in milliseconds. */
const SILENCE_MS = 60 * MINUTE_MS
/** Most early hints before an answer. They are sent at once, also to a browser that does not read. */
const HINTS_MAX = 8

export interface ProxyDeps {
  readonly dials: Pick<Dials, 'of'>
  readonly log: Log
  /** For tests: {@link SILENCE_MS}. */
  readonly silenceMs?: number
}

/** Whose request it is, and where it goes. */
export interface Passage {
  readonly at: PortHost
  readonly entry: Entry
  readonly origins: Origins
}

const REASONS: Readonly<Record<DialError['code'], string>> = {
  refused: 'No program listens on it.',
  full: 'Too many connections to this agent are open. Close some of its pages.',
  late: 'The program that listens on it does not accept connections.',
  gone: 'The agent has just stopped.',
}

export class Proxy {
  readonly #deps: ProxyDeps
  readonly #silenceMs: number
  readonly #pools = new Map<string, PortPool>()

  constructor(deps: ProxyDeps) {
    this.#deps = deps
    this.#silenceMs = deps.silenceMs ?? SILENCE_MS
  }

  request(request: IncomingMessage, response: ServerResponse, passage: Passage): void {
    request.socket.setTimeout(this.#silenceMs)
    this.#pass(request, response, passage, true)
  }

  #pass(request: IncomingMessage, response: ServerResponse, passage: Passage, mayRepeat: boolean): void {
    const isChunked = request.headers['transfer-encoding'] !== undefined
    // Node.js would send the body of a GET without a frame, and the app would read it as the next request.
    const outgoing = this.#outgoing(request, passage, isChunked ? ['Transfer-Encoding', 'chunked'] : [])
    const hasBody = isChunked || request.headers['content-length'] !== undefined
    outgoing.on('response', (incoming) => {
      try {
        begin(response, incoming, passage.origins)
      } catch (error) {
        outgoing.destroy()
        return this.#tell(response, passage, error as Error)
      }
      incoming.pipe(response)
      // A half of an answer must not look like a whole one.
      incoming.once('error', () => response.destroy())
    })
    let hints = 0
    outgoing.on('information', ({ statusCode, rawHeaders }) => {
      if (statusCode === 103 && (hints += 1) <= HINTS_MAX) hint(response, rawHeaders)
    })
    outgoing.on('error', (error) => {
      if (response.headersSent) return void response.destroy()
      if (this.#isLate(outgoing, passage, mayRepeat && !hasBody && !response.destroyed))
        return this.#pass(request, response, passage, false)
      this.#tell(response, passage, error)
    })
    response.once('close', () => {
      // An app may answer before it has read all. What is left comes before the next request on this connection.
      request.unpipe(outgoing).resume()
      outgoing.destroy()
    })
    if (hasBody) request.pipe(outgoing)
    else outgoing.end()
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passage: Passage): void {
    if ('setTimeout' in socket && typeof socket.setTimeout === 'function') {
      ;(socket as Duplex & { setTimeout(ms: number, done: () => void): void }).setTimeout(this.#silenceMs, () =>
        socket.destroy(),
      )
    }
    this.#upgrade(request, socket, head, passage, true)
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, passage: Passage, mayRepeat: boolean): void {
    const outgoing = this.#outgoing(request, passage, ['Connection', 'Upgrade', 'Upgrade', 'websocket'])
    outgoing.on('upgrade', (incoming, stream: Duplex, first: Buffer) => {
      const headers = [
        'Connection',
        'Upgrade',
        'Upgrade',
        'websocket',
        ...toBrowser(incoming.rawHeaders, passage.origins),
      ]
      socket.write(headText(101, 'Switching Protocols', headers))
      if (first.length > 0) socket.write(first)
      if (head.length > 0) stream.write(head)
      join(socket, stream)
    })
    outgoing.on('response', (incoming) => {
      const headers = ['Connection', 'close', ...toBrowser(incoming.rawHeaders, passage.origins)]
      socket.write(headText(incoming.statusCode ?? 502, incoming.statusMessage ?? '', headers))
      incoming.pipe(socket)
      // As in an answer to a request.
      incoming.once('error', () => socket.destroy())
    })
    outgoing.on('error', () => {
      if (this.#isLate(outgoing, passage, mayRepeat && !socket.destroyed))
        return this.#upgrade(request, socket, head, passage, false)
      socket.end(headText(502, 'Bad Gateway', ['Connection', 'close', 'Content-Length', '0']))
    })
    socket.once('close', () => outgoing.destroy())
    outgoing.end()
  }

  /**
   * Whether the app closed a connection that waited, at the moment of this request. Without a body it can be repeated. An app
   * that closes one such connection may have closed them all, so the second attempt has a connection of its own.
   */
  #isLate({ reusedSocket }: ClientRequest, { entry, at }: Passage, mayRepeat: boolean): boolean {
    if (!reusedSocket || !mayRepeat) return false
    this.#poolOf(entry, at.port).closeWaiting()
    return true
  }

  #outgoing(request: IncomingMessage, { at, entry, origins }: Passage, more: readonly string[] = []): ClientRequest {
    return httpRequest({
      agent: this.#poolOf(entry, at.port),
      host: 'localhost',
      port: at.port,
      method: request.method,
      path: request.url,
      headers: [...toApp(request, at.port, origins), ...more],
      setHost: false,
    })
  }

  /** The connections of one agent's port. */
  #poolOf({ row }: Entry, port: number): PortPool {
    const key = `${row.id}:${port}`
    const known = this.#pools.get(key)
    this.#pools.delete(key)
    const pool = known ?? new PortPool(async () => (await this.#deps.dials.of(row.id)).connect(port))
    this.#pools.set(key, pool)
    for (const [oldest, other] of this.#pools) {
      if (this.#pools.size <= POOLS_MAX) break
      if (other === pool) continue
      this.#pools.delete(oldest)
      // What it carries goes on.
      other.retire()
    }
    return pool
  }

  #tell(response: ServerResponse, { at }: Passage, error: Error): void {
    if (response.destroyed) return
    this.#deps.log.debug({ err: error, agentName: at.agentName, port: at.port }, 'an app did not answer')
    const why =
      error instanceof DialError
        ? REASONS[error.code]
        : error instanceof AppError
          ? error.message
          : 'The program that listens on it closed the connection without an answer.'
    // The reason, too: that of an app may be there already.
    response.writeHead(502, 'Bad Gateway', PAGE_HEADERS)
    response.end(notUpPage(at.agentName, at.port, why))
  }
}

/** Throws for a status or a reason that Node.js reads and does not write. */
const begin = (response: ServerResponse, incoming: IncomingMessage, origins: Origins): void => {
  const { statusCode = 502, statusMessage, rawHeaders } = incoming
  response.writeHead(statusCode, statusMessage, toBrowser(rawHeaders, origins))
  response.flushHeaders()
}

/** The browser loads what the links name. Without them it is only slower. */
const hint = (response: ServerResponse, raw: readonly string[]): void => {
  try {
    response.writeEarlyHints({
      link: raw.filter((_value, at) => at % 2 === 1 && raw[at - 1]!.toLowerCase() === 'link'),
    })
  } catch {
    // Node.js writes no links of other forms.
  }
}

const headText = (status: number, text: string, headers: readonly string[]): Buffer => {
  const lines = [`HTTP/1.1 ${status} ${text}`]
  for (let at = 0; at + 1 < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`)
  // As Node.js has read them.
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Both directions, until either ends. */
const join = (one: Duplex, other: Duplex): void => {
  one.pipe(other)
  other.pipe(one)
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const)
    from.once('close', () => to.destroy())
}
