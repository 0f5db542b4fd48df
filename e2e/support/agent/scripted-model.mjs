// Runs inside an agent's container: Anthropic's Messages API with a model whose answers are written down.
//   node scripted-model.mjs PORT STEPS.json
// A step is { say?, tool?, input?, gate?, status? }. The first step answers the prompt, each later one the result of a tool.
// A step with a gate waits until that file exists. A step with a status fails with it. If the file is an object, each of
// its lists answers the prompts that contain its name.
import { existsSync, readFileSync, watch } from 'node:fs'
import { createServer } from 'node:http'
import { dirname } from 'node:path'

const [port, file] = process.argv.slice(2)
const script = JSON.parse(readFileSync(file, 'utf8'))
const USAGE = { input_tokens: 1, output_tokens: 1 }

/** Resolves once the file exists. */
const opened = (gate) =>
  new Promise((resolve) => {
    const look = () => {
      if (!existsSync(gate)) return
      watcher.close()
      resolve()
    }
    const watcher = watch(dirname(gate), look)
    look()
  })

/** The steps for the last prompt, and the text from that prompt on. */
const stepsFor = (text) => {
  if (Array.isArray(script)) return [script, text]
  const found = Object.keys(script)
    .map((name) => [name, text.lastIndexOf(name)])
    .sort(([, one], [, other]) => other - one)
  const [name, at] = found[0]
  return at === -1 ? [[], text] : [script[name], text.slice(at)]
}

/** The content blocks of a step. */
const blocksOf = ({ say, tool, input }, at) => [
  ...(say === undefined ? [] : [{ type: 'text', text: say }]),
  ...(tool === undefined ? [] : [{ type: 'tool_use', id: `toolu_${at}`, name: tool, input }]),
]

/** The blocks as events of a stream. */
const eventsOf = (blocks) =>
  blocks.flatMap((block, index) => {
    const [empty, delta] =
      block.type === 'text'
        ? [
            { ...block, text: '' },
            { type: 'text_delta', text: block.text },
          ]
        : [
            { ...block, input: {} },
            { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
          ]
    return [
      { type: 'content_block_start', index, content_block: empty },
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })

createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  if (!request.url.split('?')[0].endsWith('/messages')) return response.writeHead(404).end('{}')
  const { model, stream, tools = [] } = JSON.parse(text)
  const [steps, since] = stepsFor(text)
  const at = since.split('"type":"tool_result"').length - 1
  // Claude also asks for titles and other texts. Those requests do not offer Bash.
  const isTurn = tools.some(({ name }) => name === 'Bash')
  const step = (isTurn && steps[at]) || { say: 'Done.' }
  if (step.gate !== undefined) await opened(step.gate)
  if (step.status !== undefined) {
    const error = { type: step.error ?? 'authentication_error', message: step.say ?? 'refused by the tests' }
    response.writeHead(step.status, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ type: 'error', error }))
  }
  const stop = step.tool === undefined ? 'end_turn' : 'tool_use'
  const blocks = blocksOf(step, at)
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage: USAGE }
  if (!stream) {
    response.writeHead(200, { 'content-type': 'application/json' })
    return response.end(JSON.stringify({ ...message, content: blocks, stop_reason: stop }))
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
    ...eventsOf(blocks),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: USAGE },
    { type: 'message_stop' },
  ])
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  response.end()
}).listen(Number(port), '127.0.0.1')
