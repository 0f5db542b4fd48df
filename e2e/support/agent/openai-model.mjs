// Runs inside an agent's container: OpenAI's Responses and Chat Completions APIs with a model whose answers are written
// down. Both only stream.
import { startModel } from './script.mjs'

/** The events of the Responses API. */
const responseEvents = ({ step: { say, tool, namespace, input }, at, body: { model } }) => {
  const message = {
    type: 'message',
    id: `msg_${at}`,
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: [say].flat().join(''), annotations: [] }],
  }
  const call = {
    type: 'function_call',
    id: `fc_${at}`,
    call_id: `call_${at}`,
    name: tool,
    // Codex has the tools of each MCP server in a namespace.
    ...(namespace === undefined ? {} : { namespace }),
    arguments: JSON.stringify(input),
    status: 'completed',
  }
  const output = [...(say === undefined ? [] : [message]), ...(tool === undefined ? [] : [call])]
  const response = { id: `resp_${at}`, object: 'response', created_at: 1, model, output: [], status: 'in_progress' }
  const usage = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 40 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  }
  return [
    { type: 'response.created', response },
    ...output.flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item },
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: { ...response, status: 'completed', output, usage } },
  ].map((event, index) => ({ ...event, sequence_number: index }))
}

/** The chunks of the Chat Completions API. */
const chatChunks = ({ step: { say, tool, input }, at, body: { model } }) => {
  const call = {
    index: 0,
    id: `call_${at}`,
    type: 'function',
    function: { name: tool, arguments: JSON.stringify(input) },
  }
  const choices = [
    { delta: { role: 'assistant', content: '' } },
    ...(say === undefined ? [] : [say].flat().map((content) => ({ delta: { content } }))),
    ...(tool === undefined ? [] : [{ delta: { tool_calls: [call] } }]),
    { delta: {}, finish_reason: tool === undefined ? 'stop' : 'tool_calls' },
  ]
  const chunk = { id: `chatcmpl-${at}`, object: 'chat.completion.chunk', created: 1, model }
  return [
    ...choices.map((choice) => ({ ...chunk, choices: [{ index: 0, finish_reason: null, ...choice }] })),
    { ...chunk, choices: [], usage: { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 } },
    '[DONE]',
  ]
}

startModel({
  resultMark: /"type":"(?:function_call|custom_tool_call)_output"|"role":"tool"/,
  errorOf: (status, { say: message = 'refused by the tests' }) => ({
    error: { message, type: 'tests', code: String(status) },
  }),
  eventsOf: (request) => {
    if (request.path.endsWith('/responses')) return responseEvents(request)
    return request.path.endsWith('/chat/completions') ? chatChunks(request) : null
  },
})
