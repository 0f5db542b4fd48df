// Runs inside an agent's container: Anthropic's Messages API with a model that wants to run one command, and then is done.
//   node asking-model.mjs PORT
import { createServer } from 'node:http'

const COMMAND = { command: 'touch /tmp/asked-for', description: 'Make a file' }

const say = (text) => ({
  block: { type: 'text', text: '' },
  delta: { type: 'text_delta', text },
  stop: 'end_turn',
})
const run = () => ({
  block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
  delta: { type: 'input_json_delta', partial_json: JSON.stringify(COMMAND) },
  stop: 'tool_use',
})

createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  if (!request.url.split('?')[0].endsWith('/messages')) return response.writeHead(404).end('{}')
  const { model, stream, tools = [] } = JSON.parse(text)
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage }
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(
      JSON.stringify({ ...message, content: [{ type: 'text', text: 'Done.' }], stop_reason: 'end_turn' }),
    )
  }
  const answered = text.includes('"tool_result"') || !tools.some(({ name }) => name === 'Bash')
  const { block, delta, stop } = answered ? say('All done.') : run()
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    { type: 'content_block_start', index: 0, content_block: block },
    { type: 'content_block_delta', index: 0, delta },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}).listen(Number(process.argv[2]), '127.0.0.1')
