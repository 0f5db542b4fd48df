/**
 * The least that can be between a WebSocket and the engine's own TTY exec. Echoes are compared with it. It accepts
 * every client, and keeps and parses nothing. It is not part of the product.
 *
 * Its only argument is a container's id. It sends its address once it listens, and ends with its parent.
 */
import type { AddressInfo } from 'node:net'
import { type RawData, WebSocketServer } from 'ws'
import { openExec } from '../client/exec.ts'

const containerId = process.argv[2]
if (containerId === undefined) throw new Error('the container is missing')

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', (socket) => {
  // The first message has the client's token.
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
