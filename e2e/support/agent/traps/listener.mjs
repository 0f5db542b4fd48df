// Runs inside an agent's container: a model that answers every CLI with one word, and an ear for the traps.
//   node listener.mjs PORT   `GET /heard` answers what was asked below /trap/, a name per line; `DELETE /heard` forgets it.
import { createServer } from 'node:http'

const WORD = 'Understood.'
const heard = new Set()

const sse = (response, events, named) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events)
    response.write(`${named ? `event: ${event.type}\n` : ''}data: ${JSON.stringify(event)}\n\n`)
  response.end()
}
const json = (response, value) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

/** Anthropic's Messages API. */
const messages = (response, { model, stream }) => {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model, stop_sequence: null, usage }
  const content = [{ type: 'text', text: WORD }]
  if (!stream) return json(response, { ...message, content, stop_reason: 'end_turn' })
  return sse(
    response,
    [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: WORD } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
      { type: 'message_stop' },
    ],
    true,
  )
}

/** OpenAI's Responses API, as Codex asks. */
const responses = (response, { model }) => {
  const text = { type: 'output_text', text: WORD, annotations: [] }
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [text] }
  const base = { id: 'resp_1', object: 'response', created_at: 1, model, output: [], tools: [] }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return sse(
    response,
    [
      { type: 'response.created', response: { ...base, status: 'in_progress' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
      { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: WORD },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...base, status: 'completed', output: [item], usage } },
    ],
    true,
  )
}

/** OpenAI's Chat Completions API, as opencode and Copilot ask. */
const completions = (response, { model, stream }) => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  const message = { role: 'assistant', content: WORD }
  const base = { id: 'chatcmpl-1', created: 1, model }
  if (!stream) {
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return json(response, { ...base, object: 'chat.completion', choices, usage })
  }
  const chunk = (delta, finish_reason) => ({
    ...base,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason }],
  })
  return sse(response, [chunk(message, null), { ...chunk({}, 'stop'), usage }])
}

/** Gemini's API; some of its calls want JSON of a schema of their own. */
const gemini = (response, path, { generationConfig }) => {
  if (path.endsWith(':countTokens')) return json(response, { totalTokens: 1 })
  const wantsJson = generationConfig?.responseJsonSchema ?? generationConfig?.responseSchema
  const text = wantsJson ? '{"reasoning":"none","next_speaker":"user","model_choice":"flash"}' : WORD
  const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
  const candidates = [{ content: { role: 'model', parts: [{ text }] }, index: 0, finishReason: 'STOP' }]
  const answer = { candidates, usageMetadata, modelVersion: 'stub', responseId: 'stub' }
  return path.endsWith(':generateContent') ? json(response, answer) : sse(response, [answer])
}

const model = (response, path, body) => {
  if (path.endsWith('/messages')) return messages(response, body)
  if (path.endsWith('/responses')) return responses(response, body)
  if (path.endsWith('/completions')) return completions(response, body)
  if (path.includes(':')) return gemini(response, path, body)
  if (path.endsWith('/models')) return json(response, { object: 'list', data: [], models: [] })
  response.writeHead(404).end('{}')
}

createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  const { pathname } = new URL(request.url, 'http://localhost')
  if (pathname === '/heard') {
    if (request.method === 'DELETE') heard.clear()
    return response.end([...heard].sort().join('\n'))
  }
  const trap = /^\/trap\/([\w.-]+)/.exec(pathname)
  if (trap) heard.add(trap[1])
  let body = {}
  try {
    body = JSON.parse(text)
  } catch {
    // Some bodies are not JSON.
  }
  model(response, pathname, body)
}).listen(Number(process.argv[2]), '127.0.0.1', () => console.log('listening'))
