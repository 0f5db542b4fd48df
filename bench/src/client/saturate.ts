/**
 * Sends as many requests as a server answers. The client uses little CPU, because it shares the machine with the
 * server.
 */
import { connect, type Socket } from 'node:net'

export interface Endpoint {
  /** Scheme, host and port. */
  readonly base: string
  readonly path: string
  readonly token: string
}

/** Parallel connections, each with one request at a time. */
const CONNECTIONS = 8
const HEAD_END = '\r\n\r\n'

const requestFor = ({ base, path, token }: Endpoint): string => {
  const authorization = token === '' ? '' : `Authorization: Bearer ${token}\r\n`
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(base).host}\r\n${authorization}${HEAD_END.slice(2)}`
}

/** Calls `answered` after each complete answer. Fails if a status is not 200. */
const readAnswers = (socket: Socket, answered: () => void, failed: (error: Error) => void): void => {
  let held = ''
  let missing = 0
  socket.setEncoding('latin1').on('data', (text: string) => {
    held += text
    if (missing === 0) {
      const end = held.indexOf(HEAD_END)
      if (end < 0) return
      const head = held.slice(0, end)
      if (!head.startsWith('HTTP/1.1 200')) return failed(new Error(held.slice(0, 2_000)))
      missing = end + HEAD_END.length + Number(/^content-length: (\d+)/im.exec(head)?.[1])
    }
    if (held.length < missing) return
    held = ''
    missing = 0
    answered()
  })
}

/** Sends requests for so many milliseconds, and answers how many answers came in a second. */
export const saturate = (endpoint: Endpoint, forMs: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(endpoint.base)
    const request = requestFor(endpoint)
    const started = performance.now()
    let answers = 0
    const sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(Number(port), hostname).setNoDelay()
      const ask = (): void => void socket.write(request)
      const answered = (): void => {
        answers += 1
        if (performance.now() - started < forMs) return ask()
        finish()
      }
      readAnswers(socket, answered, reject)
      socket.on('connect', ask).on('error', reject)
      return socket
    })
    const finish = (): void => {
      const seconds = (performance.now() - started) / 1000
      for (const socket of sockets) socket.destroy()
      resolve(answers / seconds)
    }
  })
