/** A browser at the host of an agent's port, which speaks HTTP by hand. */
import { type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { PortTicket } from '@slipway/protocol'
import type { Client } from './api.ts'

export interface PortAnswer {
  readonly status: number | undefined
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export interface PortBrowser {
  /** With the TCP port of the server. */
  readonly host: string
  readonly cookie: string
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<PortAnswer>
  /** Sends bytes as they are, and answers all that comes until the connection ends. */
  raw(bytes: string): Promise<string>
}

/** Names below localhost lead to this machine. */
const getAt = (url: URL, headers: Readonly<Record<string, string>>): Promise<PortAnswer> =>
  new Promise((resolve, reject) => {
    const { host, port, pathname, search } = url
    const path = pathname + search
    request({ host: '127.0.0.1', port, path, headers: { host, ...headers }, agent: false }, (answer) => {
      text(answer).then((whole) => resolve({ status: answer.statusCode, headers: answer.headers, text: whole }), reject)
    })
      .on('error', reject)
      .end()
  })

/** Opens a port of the agent, as a user does. `path` is that of the agent in the API. */
export const openPort = async (client: Client, path: string, port: number): Promise<PortBrowser> => {
  const { url } = await client.ok<PortTicket>('POST', `${path}/ports/${port}/tickets`, {})
  const entered = await getAt(new URL(url), {})
  if (entered.status !== 303) throw new Error(`the ticket was answered with ${entered.status}`)
  const cookie = entered.headers['set-cookie']![0]!.split(';')[0]!
  const { host, origin, port: serverPort } = new URL(url)
  return {
    host,
    cookie,
    get: (to, headers = {}) => getAt(new URL(to, origin), { cookie, ...headers }),
    raw: (bytes) => {
      const socket = connect(Number(serverPort), '127.0.0.1')
      socket.write(Buffer.from(bytes, 'latin1'))
      return text(socket)
    },
  }
}
