/** The gateway of a Discord for tests: hello, identify, heartbeats, dispatches, resume (Discord's documentation, "Gateway"). */
import { randomUUID } from 'node:crypto'
import type { Server } from 'node:http'
import { type WebSocket, WebSocketServer } from 'ws'

/** Opcodes. */
const [DISPATCH, HEARTBEAT, IDENTIFY, RESUME, INVALID_SESSION, HELLO, ACK] = [0, 1, 2, 6, 9, 10, 11]
const HEARTBEAT_MS = 41_250
/** Codes with which it closes: the token is wrong; an intent is not allowed. */
const [AUTHENTICATION_FAILED, DISALLOWED_INTENTS] = [4004, 4014]

interface Packet {
  readonly op: number
  readonly d: unknown
  readonly s: number | null
  readonly t: string | null
}

interface Session {
  readonly id: string
  readonly packets: Packet[]
  socket: WebSocket | null
}

export interface Gateway {
  readonly url: () => string
  /** How many sessions were begun, and how many were resumed. */
  readonly begun: number
  readonly resumed: number
  /** How often it has refused the intents of the bot. */
  readonly refused: number
  /** Whether it refuses the intents of the bot. */
  refusesIntents: boolean
  /** Tells all sessions. One whose connection is lost gets it when it resumes. */
  dispatch(type: string, data: object): void
  /** The connections break. Without `keep`, the sessions end, too. */
  drop(how: { readonly keep: boolean }): void
  close(): void
}

export const startGateway = (
  server: Server,
  { token, applicationId }: { readonly token: string; readonly applicationId: string },
): Gateway => {
  const sockets = new WebSocketServer({ server, path: '/gateway' })
  const sessions = new Map<string, Session>()
  const counts = { begun: 0, resumed: 0, refused: 0 }
  const url = (): string => {
    const address = server.address()
    return typeof address === 'object' && address ? `ws://127.0.0.1:${address.port}/gateway` : ''
  }
  const send = (socket: WebSocket | null, op: number, d: unknown): void =>
    socket?.send(JSON.stringify({ op, d, s: null, t: null }))
  const tell = (session: Session, t: string, d: object): void => {
    const packet = { op: DISPATCH, d, s: session.packets.length + 1, t }
    session.packets.push(packet)
    session.socket?.send(JSON.stringify(packet))
  }
  const gateway: Gateway = {
    url,
    get begun() {
      return counts.begun
    },
    get resumed() {
      return counts.resumed
    },
    get refused() {
      return counts.refused
    },
    refusesIntents: false,
    dispatch: (type, data) => {
      for (const session of sessions.values()) tell(session, type, data)
    },
    drop: ({ keep }) => {
      for (const session of sessions.values()) {
        const { socket } = session
        session.socket = null
        socket?.terminate()
      }
      if (!keep) sessions.clear()
    },
    close: () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
    },
  }
  const identify = (socket: WebSocket, given: string): void => {
    if (given !== token) return socket.close(AUTHENTICATION_FAILED)
    if (gateway.refusesIntents) {
      counts.refused += 1
      return socket.close(DISALLOWED_INTENTS)
    }
    const session: Session = { id: randomUUID(), packets: [], socket }
    sessions.set(session.id, session)
    counts.begun += 1
    const bot = { id: applicationId, username: 'slipway', discriminator: '0', bot: true }
    const application = { id: applicationId, flags: 0 }
    const resume = { session_id: session.id, resume_gateway_url: url() }
    tell(session, 'READY', { v: 10, user: bot, guilds: [], ...resume, application })
  }
  const resume = (socket: WebSocket, id: string, seq: number): void => {
    const session = sessions.get(id)
    if (!session) return send(socket, INVALID_SESSION, false)
    counts.resumed += 1
    session.socket = socket
    for (const packet of session.packets.slice(seq)) socket.send(JSON.stringify(packet))
    tell(session, 'RESUMED', {})
  }
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { op, d } = JSON.parse(data.toString()) as {
        op: number
        d: { token?: string; session_id?: string; seq?: number } | null
      }
      if (op === HEARTBEAT) send(socket, ACK, null)
      if (op === IDENTIFY) identify(socket, d?.token ?? '')
      if (op === RESUME) resume(socket, d?.session_id ?? '', d?.seq ?? 0)
    })
    socket.on('close', () => {
      for (const session of sessions.values()) if (session.socket === socket) session.socket = null
    })
    send(socket, HELLO, { heartbeat_interval: HEARTBEAT_MS })
  })
  return gateway
}
