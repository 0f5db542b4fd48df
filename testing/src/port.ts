/** Ports of this machine. */
import { randomInt } from 'node:crypto'
import { connect, createServer } from 'node:net'

/** Below the ports that Linux gives to connections and to servers that want any port (`ip_local_port_range`). */
const PORTS = { from: 20_000, to: 32_000 }
const given = new Set<number>()

/** Whether a server can have it. */
const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })

/** A port that is not in use. No program gets it by chance before its server listens, or while that starts again. */
export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(PORTS.from, PORTS.to)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    return port
  }
}

export const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.destroy())
  })
