/** Holds pages open that listen for changes. */
import { once } from 'node:events'
import type { PlatformEvent } from '@slipway/protocol'
import WebSocket from 'ws'

export interface ListenTarget {
  readonly url: string
  readonly token: string
}

/** How many are opened at once. */
const AT_ONCE = 16

const open = new Set<WebSocket>()

/** Resolves once the server has accepted the token. */
export const listen = ({ url, token }: ListenTarget): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, { perMessageDeflate: false })
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', token })))
    socket.on('message', (data: Buffer) => {
      const event = JSON.parse(data.toString()) as PlatformEvent
      if (event.type === 'auth_success') resolve(socket)
      else if (event.type === 'error') reject(new Error(event.message))
    })
    socket.on('error', reject)
    socket.on('close', (code) => reject(new Error(`the page's socket closed with ${code}`)))
  })

export const leave = async (socket: WebSocket): Promise<void> => {
  const closed = once(socket, 'close')
  socket.close(1000)
  await closed
}

/** Opens a socket for each target and keeps it open. Answers how many there are. */
export const listenAll = async (targets: readonly ListenTarget[]): Promise<number> => {
  const waiting = [...targets]
  const work = async (): Promise<void> => {
    for (let target = waiting.shift(); target; target = waiting.shift()) open.add(await listen(target))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return open.size
}

export const leaveAll = async (): Promise<void> => {
  await Promise.all([...open].map(leave))
  open.clear()
}
