/** A browser and an app that speak HTTP by hand, on both sides of the door of ports. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { type Duplex, duplexPair } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach } from 'vitest'
import { silentLog } from '../../../src/lib/log.ts'
import { type DoorDeps, PortDoor } from '../../../src/modules/ports/door/door.ts'
import type { Entry } from '../../../src/modules/ports/entries.ts'
import { PortHosts } from '../../../src/modules/ports/host.ts'

/** The name of port 5173 of the agent `atlas`. */
export const HOST = '5173--atlas--slipway.localhost'
export const SECRET = 'a'.repeat(43)
/** The head of a browser that was let in. */
export const OWN = `Host: ${HOST}\r\nCookie: slipway_port=${SECRET}\r\n`
/** What the app answers if a test says nothing else. */
export const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

const hosts = new PortHosts({ namespace: 'slipway', domain: null })
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

interface App {
  /** What it answers to each request: bytes of its choice. */
  readonly answer?: string
  /** What a request has to end with, before it is answered. */
  readonly after?: string
  /** Whether it reads nothing after the first bytes of a connection. */
  readonly isDeaf?: boolean
  /** The connections that it closes at their second request, by number. It closes the others at none. */
  readonly brief?: readonly number[]
}

/** A door, an app behind it, and browsers in front. All are closed after the test. */
export const doorScene = async (app: App = {}, silenceMs?: number) => {
  const { answer = OK, after = '', isDeaf = false, brief = [] } = app
  const received: string[] = []
  const streams: Duplex[] = []
  const serve = (stream: Duplex): void => {
    let isBrief = false
    const number = streams.push(stream)
    stream.on('data', (chunk: Buffer) => {
      if (isBrief) return void stream.end()
      isBrief = brief.includes(number)
      received.push(chunk.toString('latin1'))
      if (isDeaf) stream.pause()
      if (received.join('').endsWith(after)) stream.write(Buffer.from(answer, 'latin1'))
    })
    stream.on('error', () => undefined)
  }
  const dial = () => {
    const [ours, theirs] = duplexPair()
    ours.on('error', () => undefined)
    serve(theirs)
    return Promise.resolve(ours)
  }
  const entry = { row: { id: 'atlas' }, held: new Set() } as unknown as Entry
  const door = new PortDoor({
    hosts,
    entries: { of: (secret: string, host: string) => (secret === SECRET && host === HOST ? entry : null) },
    dials: { of: () => Promise.resolve({ connect: dial }) },
    isHttps: false,
    originOf: (at: Parameters<PortHosts['nameOf']>[0]) => `http://${hosts.nameOf(at)}`,
    baseUrl: () => 'http://slipway.localhost',
    log: silentLog,
    silenceMs,
  } as unknown as DoorDeps)
  const server = createServer((request, response) => door.request(request, response))
  server.on('upgrade', (request, socket, head) => door.upgrade(request, socket, head))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const browser = () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    ends.push(() => socket.destroy())
    return socket
  }
  /** Sends bytes, and answers all that comes until the connection ends: its last request has to ask for that. */
  const send = (bytes: string): Promise<string> => {
    const socket = browser()
    socket.write(Buffer.from(bytes, 'latin1'))
    return text(socket)
  }
  return { send, browser, received, streams, held: entry.held }
}

/** A request that is answered, and the end of the connection. */
export const LAST = `GET /last HTTP/1.1\r\n${OWN}Connection: close\r\n\r\n`
export const statusesIn = (answers: string): string[] => answers.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? []
