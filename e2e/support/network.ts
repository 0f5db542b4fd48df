/** Networks between a client and the server that fail as real ones do. */
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'

export interface Network {
  /** For the context's `proxy`. */
  readonly url: string
  /** Ends every connection, and refuses new ones until it is mended. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** A proxy in front of one context of a browser, which can be cut. */
export const cuttable = async (): Promise<Network> => {
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket): void => {
    // One that is used again for the next request is known.
    if (sockets.has(socket)) return
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }
  const server = createServer((incoming, outgoing) => {
    const { url = '', method, headers } = incoming
    const upstream = request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    upstream.on('socket', keep)
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  server.on('connection', (socket) => {
    keep(socket)
    if (isCut) socket.destroy()
  })
  // WebSockets come through a tunnel.
  server.on('connect', ({ url = '' }, socket: Socket) => {
    const { hostname, port } = new URL(`http://${url}`)
    const upstream = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    keep(upstream)
    upstream.on('close', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => (isCut = false),
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export interface Stallable {
  /** The server's address by this way. */
  readonly url: string
  /** Settles when the server has given up a connection. */
  readonly givenUp: Promise<void>
  /** From now on nothing gets through in either direction, and nobody is told, as with a laptop that is closed. */
  sleep(): void
  /** The connections of before turn out to be dead; new ones get through. */
  wake(): void
  close(): Promise<void>
}

/** A way to `baseUrl` on which it can become silent. */
export const stallable = async (baseUrl: string): Promise<Stallable> => {
  const { hostname, port } = new URL(baseUrl)
  const clients = new Set<Socket>()
  let isAsleep = false
  let giveUp = (): void => undefined
  const givenUp = new Promise<void>((resolve) => (giveUp = resolve))
  const server = createTcpServer((client) => {
    const upstream = connect(Number(port), hostname)
    clients.add(client)
    client.on('data', (chunk) => isAsleep || upstream.write(chunk))
    upstream.on('data', (chunk) => isAsleep || client.write(chunk))
    for (const socket of [client, upstream]) socket.on('error', () => undefined)
    client.on('close', () => {
      clients.delete(client)
      upstream.destroy()
    })
    upstream.on('close', () => {
      if (isAsleep) giveUp()
      else client.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const wake = (): void => {
    isAsleep = false
    for (const client of clients) client.destroy()
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    givenUp,
    sleep: () => (isAsleep = true),
    wake,
    close: async () => {
      wake()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
