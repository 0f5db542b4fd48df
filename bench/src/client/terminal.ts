/** A terminal through the platform: the WebSocket's protocol, version 1 or 2. */
import { once } from 'node:events'
import { ACK_EVERY_BYTES, type ServerFrame } from '@slipway/protocol'
import WebSocket from 'ws'
import { type Channel, Inbox } from './channel.ts'

/** What has come is acknowledged after so long, in milliseconds, if nothing follows. */
const IDLE_ACK_MS = 100

export interface TerminalTarget {
  readonly url: string
  readonly token: string
  readonly version: 1 | 2
}

export interface TerminalChannel extends Channel {
  resize(cols: number, rows: number): void
  /** Loses the connection, as a laptop does that is closed. */
  cut(): void
}

/** What the first message of version 2 says besides. */
export type Hello = Partial<Record<'client' | 'takeover' | 'cols' | 'rows', string | number | boolean>>

/** Resolves once the server has let us in; fails with its own sentence otherwise. */
export const openTerminal = ({ url, token, version }: TerminalTarget, hello: Hello = {}): Promise<TerminalChannel> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    const inbox = new Inbox()
    // Offset of the output, which a screen is no part of.
    let received = 0
    let acknowledged = 0
    let screenLeft = 0
    const acknowledge = (): void => {
      // In version 1 it would be typed.
      if (version === 1 || received === acknowledged || socket.readyState !== WebSocket.OPEN) return
      acknowledged = received
      socket.send(JSON.stringify({ type: 'ack', offset: received }))
    }
    const idle = setTimeout(acknowledge, IDLE_ACK_MS)
    const say = (frame: object): void => socket.send(JSON.stringify(frame))
    socket.on('open', () => say({ type: 'auth', token, ...(version === 2 ? { v: 2, ...hello } : {}) }))
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        inbox.take(data)
        const screen = Math.min(screenLeft, data.length)
        screenLeft -= screen
        received += data.length - screen
        if (received - acknowledged >= ACK_EVERY_BYTES) acknowledge()
        else idle.refresh()
        return
      }
      const frame = JSON.parse(data.toString()) as ServerFrame
      if (frame.type === 'auth_success' || frame.type === 'snapshot') {
        received = acknowledged = frame.offset ?? 0
        screenLeft = frame.type === 'snapshot' ? frame.bytes : 0
      }
      const cut = (): void => socket.terminate()
      if (frame.type === 'auth_success') resolve({ write, onData: inbox.listen, close, cut, resize })
      else if (frame.type === 'error') reject(new Error(frame.message))
    })
    socket.on('error', reject)
    socket.on('close', (code) => {
      clearTimeout(idle)
      reject(new Error(`the terminal closed with ${code}`))
    })
    const resize = (cols: number, rows: number): void => say({ type: 'resize', cols, rows })
    const write = (data: string): void => socket.send(Buffer.from(data))
    const close = async (): Promise<void> => {
      const closed = once(socket, 'close')
      socket.close(1000)
      await closed
    }
  })
