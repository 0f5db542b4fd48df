// Runs inside an agent's container: a small MCP server with one tool, `count`, which answers how many letters a word has. For
// the word `reveal` it also tells the token.
//   node mcp-server.mjs stdio LOG     one message a line
//   node mcp-server.mjs http LOG PORT each message in a POST
// It appends one line of JSON to LOG for each message: its method, and the token that the connector gave it.
// It speaks the versions 2025-06-18 and 2025-11-25, which begin with `initialize`, and 2026-07-28, which begins with
// `server/discover`.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const [kind, log, port] = process.argv.slice(2)

const OLDEST = '2025-06-18'
const OLD = '2025-11-25'
const NEW = '2026-07-28'
const serverInfo = { name: 'counter', version: '1.0.0' }
const capabilities = { tools: {} }

const TOOL = {
  name: 'count',
  description: 'Counts the letters of a word.',
  inputSchema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: [OLDEST, NEW].includes(protocolVersion) ? protocolVersion : OLD,
    capabilities,
    serverInfo,
  }),
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: [NEW, OLD, OLDEST],
    capabilities,
    serverInfo,
  }),
  ping: () => ({}),
  'tools/list': () => ({ resultType: 'complete', tools: [TOOL], ttlMs: 60_000, cacheScope: 'private' }),
  'tools/call': ({ arguments: { word = '' } = {} }, token) => ({
    resultType: 'complete',
    content: [
      { type: 'text', text: `${word} has ${word.length} letters${word === 'reveal' ? `, says ${token}` : ''}` },
    ],
  }),
}

/** The answer to a message; null for a notification. */
const answerTo = ({ id, method, params = {} }, token) => {
  appendFileSync(log, `${JSON.stringify({ method, token })}\n`)
  if (id === undefined) return null
  const answer = ANSWERS[method]
  if (!answer) return { jsonrpc: '2.0', id, error: { code: -32601, message: `no method ${method}` } }
  return { jsonrpc: '2.0', id, result: answer(params, token) }
}

if (kind === 'stdio') {
  for await (const line of createInterface({ input: process.stdin })) {
    const answer = answerTo(JSON.parse(line), process.env.COUNTER_TOKEN)
    if (answer) process.stdout.write(`${JSON.stringify(answer)}\n`)
  }
} else
  createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    // It sends nothing on its own, so a client needs no stream.
    if (request.method !== 'POST') return response.writeHead(405).end()
    const token = [request.headers.authorization, request.headers['x-token']].filter(Boolean).join(' ')
    const answer = answerTo(JSON.parse(text), token)
    if (!answer) return response.writeHead(202).end()
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }).listen(Number(port), '127.0.0.1')
