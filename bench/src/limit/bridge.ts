/**
 * What an echo is compared with: the least that stands between a WebSocket and the engine's own TTY exec. It lets everybody in, keeps
 * nothing and looks at nothing, and is no part of the product.
 *
 * Its only argument is a container's id. It sends its address once it listens, and ends with the process that started it.
 */
import type { AddressInfo } from 'node:net'
import { type RawData, WebSocketServer } from 'ws'
import { openExec } from '../client/exec.ts'

const containerId = process.argv[2]
if (containerId === undefined) throw new Error('the container is missing')

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  // The first message says who it is.
  socket.once('message', () => {
    void openExec({ containerId }).then((channel) => {
      channel.onData((chunk) => socket.send(chunk))
      socket.on('message', (data: RawData) => channel.write((data as Buffer).toString()))
      socket.on('close', () => void channel.close())
      socket.send(JSON.stringify({ type: 'auth_success' }))
    })
  })
})
server.on('listening', () => process.send?.(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`))
process.on('disconnect', () => process.exit(0))
