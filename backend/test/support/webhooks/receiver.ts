/** A real server that receives webhooks. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it came. */
export interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** How it answers from now on; by default with 204. */
  answer: (response: ServerResponse, received: Received) => void
  close(): Promise<void>
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: Received[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(parts).toString('utf8') }
      received.push(one)
      receiver.answer(response, one)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    answer: (response) => void response.writeHead(204).end(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
