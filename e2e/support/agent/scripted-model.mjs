// Runs inside an agent's container: Anthropic's Messages API with a model whose answers are written down.
import { startModel } from './script.mjs'

const USAGE = { input_tokens: 1, output_tokens: 1 }

const RESULT_MARK = '"type":"tool_result"'
/** The number of a call in its whole conversation. Claude keeps one result of calls with the same id. */
const callOf = (body) => JSON.stringify(body).split(RESULT_MARK).length - 1

/** The content blocks of a step. */
const blocksOf = ({ say, tool, input }, body) => [
  ...(say === undefined ? [] : [{ type: 'text', text: [say].flat().join('') }]),
  ...(tool === undefined ? [] : [{ type: 'tool_use', id: `toolu_${callOf(body)}`, name: tool, input }]),
]

/** The blocks as events of a stream. */
const blockEvents = (blocks, { say }) =>
  blocks.flatMap((block, index) => {
    const [empty, deltas] =
      block.type === 'text'
        ? [{ ...block, text: '' }, [say].flat().map((text) => ({ type: 'text_delta', text }))]
        : [{ ...block, input: {} }, [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]]
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
  })

const messageOf = ({ step, body }) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: body.model,
  content: blocksOf(step, body),
  stop_reason: step.tool === undefined ? 'end_turn' : 'tool_use',
  stop_sequence: null,
  usage: USAGE,
})

startModel({
  resultMark: RESULT_MARK,
  // Claude also asks for titles and other texts. Those requests do not offer Bash.
  isTurn: ({ tools = [] }) => tools.some(({ name }) => name === 'Bash'),
  errorOf: (_status, { error: type = 'authentication_error', say: message = 'refused by the tests' }) => ({
    type: 'error',
    error: { type, message },
  }),
  wholeOf: messageOf,
  eventsOf: (asks) => {
    if (!asks.path.endsWith('/messages')) return null
    const message = messageOf(asks)
    return [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      ...blockEvents(message.content, asks.step),
      { type: 'message_delta', delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: USAGE },
      { type: 'message_stop' },
    ]
  },
})
