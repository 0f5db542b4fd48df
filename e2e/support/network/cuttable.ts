/** A network between a browser and the server, which a test can cut. */
import { createServer, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

export interface Network {
  /** For the context's `proxy` option. */
  readonly url: string
  /** Closes every connection and refuses new ones until it is restored. */
  cut(): void
  mend(): void
  close(): Promise<void>
}

/** A proxy for one browser context, which a test can cut. */
export const cuttable = async (): Promise<Network> => {
  const sockets = new Set<Socket>()
  let isCut = false
  const keep = (socket: Socket): void => {
    // A keep-alive socket of an earlier request is known already.
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
  // WebSockets use a CONNECT tunnel.
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
