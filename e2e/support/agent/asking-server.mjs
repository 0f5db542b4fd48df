// Runs inside an agent's container: a small MCP server with one tool, `ask`, which asks the user for a colour and a number, and
// answers what it was told.
//   node asking-server.mjs        one message a line
import { createInterface } from 'node:readline'

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const TOOL = { name: 'ask', description: 'Asks for a colour.', inputSchema: { type: 'object', properties: {} } }
const FORM = {
  type: 'object',
  properties: {
    colour: { type: 'string', title: 'Colour', enum: ['red', 'blue'] },
    count: { type: 'integer', minimum: 1 },
  },
  required: ['colour'],
}

const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'asking', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [TOOL] }),
}

/** The calls of the tool that wait for the user. */
const calls = new Set()

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {}, result } = JSON.parse(line)
  if (method === 'tools/call') {
    calls.add(id)
    send({ id, method: 'elicitation/create', params: { mode: 'form', message: 'Which?', requestedSchema: FORM } })
  } else if (method === undefined && calls.delete(id))
    send({ id, result: { content: [{ type: 'text', text: JSON.stringify(result) }] } })
  else if (ANSWERS[method]) send({ id, result: ANSWERS[method](params) })
  else if (method !== undefined && id !== undefined)
    send({ id, error: { code: -32601, message: `no method ${method}` } })
}
