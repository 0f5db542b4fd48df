/** The items of `codex app-server`, in the form in which `codex exec` prints them. */
import { fieldsIn, type Fields, listIn, textIn } from '../../parts/json.ts'

/** What the model thinks, in short if it tells so. */
const thoughtsIn = ({ summary, content }: Fields): string =>
  [summary, content].map(linesIn).find((text) => text !== '') ?? ''

const linesIn = (value: unknown): string =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string').join('\n') : ''

/** Other items are shown elsewhere, or not at all. */
export const execItemOf = (item: Fields): Fields => {
  const { id, status } = item
  switch (item.type) {
    case 'agentMessage':
      return { id, type: 'agent_message', text: item.text }
    case 'reasoning':
      return { id, type: 'reasoning', text: thoughtsIn(item) }
    case 'commandExecution':
      return {
        ...{ id, status, type: 'command_execution', command: item.command },
        ...{ aggregated_output: item.aggregatedOutput, exit_code: item.exitCode },
      }
    case 'fileChange':
      return { id, status, type: 'file_change', changes: listIn(item.changes).map(changeOf) }
    case 'mcpToolCall': {
      const { content, structuredContent: structured_content } = fieldsIn(item.result)
      const { server, tool, error, arguments: input } = item
      return {
        ...{ id, status, type: 'mcp_tool_call', server, tool, error },
        ...{ arguments: input, result: { content, structured_content } },
      }
    }
    case 'collabAgentToolCall': {
      const { tool, prompt, receiverThreadIds: receiver_thread_ids } = item
      return { id, status, type: 'collab_tool_call', tool, prompt, receiver_thread_ids }
    }
    case 'webSearch':
      return { id, type: 'web_search', query: item.query, action: item.action }
    default:
      return {}
  }
}

/** Without the text, which the question about it has. */
const changeOf = ({ path, kind }: Fields): Fields => ({ path, kind: textIn(fieldsIn(kind).type) })
