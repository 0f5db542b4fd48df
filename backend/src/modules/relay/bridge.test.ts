/** The real `slipway-tools` in a real container: an MCP server on standard input and output. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { useSubject } from '../../../test/conformance/subject.ts'
import { IMAGE, useEngine } from '../../../test/support/engine/engine.ts'
import { silentLog } from '../../lib/log.ts'
import { openRelay, type Relay } from './open.ts'

const { runtime } = useEngine()
const subject = useSubject({ runtime, image: IMAGE })

interface Message {
  readonly id?: unknown
  readonly method: string
}
const ofId = (id: unknown, rest: object) => JSON.stringify({ jsonrpc: '2.0', id, ...rest })
const PROGRESS = { jsonrpc: '2.0', method: 'notifications/progress', params: { message: 'a "word"' } }

/** The answers of a server to each method. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse, id: unknown) => void>> = {
  plain: (response, id) => response.setHeader('content-type', 'application/json').end(ofId(id, { result: { n: 1 } })),
  events: (response, id) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`: keepalive\n\nevent: message\ndata: ${JSON.stringify(PROGRESS)}\n\n`)
    response.end(`event: message\ndata: ${ofId(id, { result: { n: 2 } })}\n\n`)
  },
  refused: (response) => response.writeHead(403).end(JSON.stringify({ statusCode: 403, message: 'Not "you".' })),
  cut: (response) => void response.destroy(),
  'notifications/initialized': (response) => response.writeHead(202).end(),
}

let relay: Relay | null = null
afterEach(async () => {
  await relay?.end()
  await relay?.over
})

/** What the program prints for these lines, and the headers of the requests that it sent. */
const exchange = async (lines: readonly string[]) => {
  const heads: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    heads.push(request.headers)
    const answered = json(request).then((body) => {
      const { id, method } = body as Message
      ANSWERS[method]?.(response, id)
    })
    answered.catch(() => response.writeHead(400).end(JSON.stringify({ message: 'This is no JSON.' })))
  })
  relay = await openRelay({ runtime, log: silentLog }, subject.containerId, (stream) =>
    server.emit('connection', stream),
  )
  const { stdout } = await subject.sh(`slipway-tools <<'END'\n${lines.join('\n')}\nEND`)
  const printed = stdout.toString().trimEnd().split('\n').filter(Boolean)
  return { printed: printed.map((line) => JSON.parse(line) as unknown), heads }
}
const message = (method: string, id?: unknown): string =>
  JSON.stringify({ jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) })
const LOST = expect.stringContaining('The connection to Slipway was lost.') as string

describe('slipway-tools', () => {
  it('prints the messages of an answer, in either of its forms', async () => {
    const { printed, heads } = await exchange([message('plain', 1), '', message('events', 'two')])
    expect(printed).toHaveLength(3)
    expect(printed).toEqual(
      expect.arrayContaining([
        { jsonrpc: '2.0', id: 1, result: { n: 1 } },
        PROGRESS,
        { jsonrpc: '2.0', id: 'two', result: { n: 2 } },
      ]),
    )
    for (const head of heads)
      expect(head).toMatchObject({
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      })
  })

  it('answers with an error if a request is refused or its connection is lost', async () => {
    const { printed } = await exchange([message('refused', 3), message('cut', 4)])
    const error = (id: number, text: string) => ({ jsonrpc: '2.0', id, error: { code: -32_000, message: text } })
    expect(printed).toHaveLength(2)
    expect(printed).toEqual(expect.arrayContaining([error(3, 'Not "you".'), error(4, LOST)]))
  })

  it('answers nothing to what is no request', async () => {
    const odd = [message('notifications/initialized'), message('refused'), 'no JSON', '{', '"', '{"id"', '{"id":']
    expect((await exchange([...odd, message('plain', 9)])).printed).toEqual([
      { jsonrpc: '2.0', id: 9, result: { n: 1 } },
    ])
  })

  it('finds the id of a request wherever it is, and answers many at once', async () => {
    const ids = [0, -1.5, '', 'a"b\\', 'ü', '{"id":1}']
    const lines = ids.map(
      (id) =>
        `{ "params" : {"id": 99, "a": "]}\\"", "b": [{"id": 98}]} , "method":"cut","jsonrpc":"2.0", "id" : ${JSON.stringify(id)} }`,
    )
    const { printed } = await exchange(lines)
    const answered = printed.flatMap((line) => (Object.hasOwn(line as object, 'id') ? [(line as Message).id] : []))
    expect(new Set(answered)).toEqual(new Set(ids))
  })
})
