/** Sends requests over a real connection, and keeps the whole answer. */
import { once } from 'node:events'
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http'
import { WebSocket } from 'ws'

/** Headers in which two equal answers differ: the time, the request's id, and the key of a handshake. */
const OF_THIS_ANSWER = ['date', 'x-request-id', 'sec-websocket-accept']

/** An answer as it came over the connection. */
export interface Received {
  readonly status: number
  /** Status line, headers in their order and body, without {@link OF_THIS_ANSWER}. */
  readonly bytes: string
  readonly body: string
  readonly headers: IncomingHttpHeaders
}

export interface Sending {
  readonly method: string
  readonly path: string
  readonly token?: string | undefined
  readonly body?: object | undefined
  /** Headers besides those that the other parts make. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** A granted request has an answer without an end. The test reads only its beginning. */
  readonly endless?: boolean | undefined
  /** Asks for an upgrade, as a WebSocket does. If the server upgrades the connection, that is an error. */
  readonly upgrade?: true
}

const UPGRADE = {
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
}

const headLines = (rawHeaders: readonly string[]): string[] => {
  const lines: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (!OF_THIS_ANSWER.includes(rawHeaders[at]?.toLowerCase() ?? ''))
      lines.push(`${rawHeaders[at] ?? ''}: ${rawHeaders[at + 1] ?? ''}`)
  return lines
}

/** Sends one request to `address`, which is `host:port`. */
export async function ask(
  address: string,
  { method, path, token, body, endless, upgrade, headers: more }: Sending,
): Promise<Received> {
  const payload = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    ...more,
    ...(upgrade ? UPGRADE : {}),
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': payload.length }),
  }
  const sent = request(`http://${address}${path}`, { method, headers })
  sent.on('upgrade', (_response, socket) => socket.destroy(new Error(`${path} became a WebSocket`)))
  sent.end(payload)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += chunk as string
    if (endless && response.statusCode === 200) break
  }
  const { httpVersion, statusCode = 0, statusMessage = '', rawHeaders } = response
  const start = `HTTP/${httpVersion} ${statusCode} ${statusMessage}`
  return {
    status: statusCode,
    bytes: [start, ...headLines(rawHeaders), '', text].join('\n'),
    body: text,
    headers: response.headers,
  }
}

/** The answer to a socket's first message. */
export interface Heard {
  /** `open`, or the close code. */
  readonly answer: number | 'open'
  /** The upgrade's headers, every frame so far, and the close, without what differs between equal answers. */
  readonly bytes: string
}

/**
 * Opens a socket, and sends `token` with `more` as its first message. If the server accepts it, the socket is closed
 * again.
 */
export async function talk(
  address: string,
  path: string,
  token: string | undefined,
  more: object = {},
): Promise<Heard> {
  const socket = new WebSocket(`ws://${address}${path}`)
  const said: string[] = []
  socket.on('upgrade', ({ rawHeaders }) => said.push(...headLines(rawHeaders)))
  const { promise, resolve } = Promise.withResolvers<number | 'open'>()
  socket.on('message', (data: Buffer, isBinary) => {
    said.push(`${isBinary ? 'binary' : 'text'}: ${data.toString('utf8')}`)
    if (!isBinary && data.toString('utf8').startsWith('{"type":"auth_success"')) resolve('open')
  })
  const closed = once(socket, 'close').then(([code, reason]) => {
    said.push(`close: ${code as number} ${(reason as Buffer).toString('utf8')}`)
    resolve(code as number)
  })
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'auth', ...more, ...(token === undefined ? {} : { token }) }))
  const answer = await promise
  if (answer === 'open') socket.close(1000)
  await closed
  return { answer, bytes: said.join('\n') }
}
