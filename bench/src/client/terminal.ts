/** A terminal through the platform: the WebSocket's protocol, version 1 or 2. */
import { once } from 'node:events'
import { ACK_EVERY_BYTES, type ServerFrame } from '@slipway/protocol'
import WebSocket from 'ws'
import { type Channel, Inbox } from './channel.ts'

export interface TerminalTarget {
  readonly url: string
  readonly token: string
  readonly version: 1 | 2
}

export interface TerminalChannel extends Channel {
  /** Loses the connection, as a laptop does that is closed. */
  cut(): void
}

/** Resolves once the server has let us in; fails with its own sentence otherwise. */
export const openTerminal = ({ url, token, version }: TerminalTarget): Promise<TerminalChannel> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    const inbox = new Inbox()
    let received = 0
    let acknowledged = 0
    const acknowledge = (): void => {
      if (received - acknowledged < ACK_EVERY_BYTES) return
      acknowledged = received
      socket.send(JSON.stringify({ type: 'ack', offset: received }))
    }
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', token, ...(version === 2 ? { v: 2 } : {}) })))
    socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        inbox.take(data)
        received += data.length
        if (version === 2) acknowledge()
        return
      }
      const frame = JSON.parse(data.toString()) as ServerFrame
      if (frame.type === 'auth_success') resolve({ write, onData: inbox.listen, close, cut: () => socket.terminate() })
      else if (frame.type === 'error') reject(new Error(frame.message))
    })
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`the terminal closed with ${code}`)))
    const write = (data: string): void => socket.send(Buffer.from(data))
    const close = async (): Promise<void> => {
      const closed = once(socket, 'close')
      socket.close(1000)
      await closed
    }
  })
