/** The items of a Codex thread: what the model says, and the tools it uses. */
import type { RunHappening } from '@slipway/protocol'
import { changeIn, CHANGES_MAX } from '../parts/changes.ts'
import { commandEnded, commandStarted, said } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, fieldsIn, integerIn, listIn, textIn, type Fields } from '../parts/json.ts'
import { OpenCalls } from '../parts/open-calls.ts'
import { PLAN_MAX } from '../parts/plan.ts'

/** What has happened to an item. */
export type Stage = 'started' | 'updated' | 'completed'

interface Tool {
  readonly name: string
  readonly input: unknown
  readonly text: string
}

const boundedText = (value: unknown): string => bounded(textIn(value) ?? '')

const command = (stage: Stage, callId: string | null, item: Fields): readonly RunHappening[] => {
  if (stage === 'updated') return []
  const text = boundedText(item.command)
  if (stage === 'started') return [commandStarted(callId, text)]
  return [commandEnded(callId, text, integerIn(item.exit_code), textIn(item.aggregated_output) ?? '')]
}

const fileChanges = (callId: string | null, item: Fields): readonly RunHappening[] =>
  listIn(item.changes)
    .slice(0, CHANGES_MAX)
    .flatMap((one) => {
      const path = textIn(one.path)
      const change = changeIn(one.kind)
      return path === null || change === undefined ? [] : [{ type: 'file_change', callId, path: bounded(path), change }]
    })

/** The answer of an MCP server as text. Pictures are replaced by their type. */
const mcpText = (item: Fields): string => {
  const error = textIn(fieldsIn(item.error).message)
  if (error !== null) return error
  const result = fieldsIn(item.result)
  const blocks = listIn(result.content).map((one) => textIn(one.text) ?? `[${textIn(one.type) ?? 'unknown'}]`)
  if (blocks.length > 0) return blocks.join('\n')
  const structured = boundedJson(result.structured_content)
  return structured === null ? '' : JSON.stringify(structured)
}

const patch = (item: Fields): Tool => ({
  name: 'apply_patch',
  input: boundedJson({ changes: item.changes }),
  text: textIn(item.status) ?? '',
})

const mcp = (item: Fields): Tool => ({
  name: `mcp__${textIn(item.server) ?? ''}__${textIn(item.tool) ?? ''}`,
  input: boundedJson(item.arguments),
  text: mcpText(item),
})

/** The tools for other agents. */
const collaboration = (item: Fields): Tool => ({
  name: textIn(item.tool) ?? 'collaboration',
  input: boundedJson({ prompt: item.prompt, receiver_thread_ids: item.receiver_thread_ids }),
  text: textIn(item.status) ?? '',
})

const search = (item: Fields): Tool => ({
  name: 'web_search',
  input: boundedJson({ query: item.query, action: item.action }),
  text: '',
})

/** Reads the items of one process. */
export class CodexItems {
  readonly #open = new OpenCalls<true>()
  #hasPlan = false

  read(stage: Stage, item: Fields): readonly RunHappening[] {
    const callId = callIdIn(item.id)
    const hasFailed = item.status !== 'completed'
    switch (item.type) {
      case 'agent_message':
        return stage === 'completed' ? said('text', item.text) : []
      case 'reasoning':
        return stage === 'completed' ? said('thinking', item.text) : []
      case 'command_execution':
        return command(stage, callId, item)
      case 'file_change': {
        const changes = stage === 'completed' && !hasFailed ? fileChanges(callId, item) : []
        return [...this.#tool(stage, callId, patch(item), hasFailed), ...changes]
      }
      case 'mcp_tool_call':
        return this.#tool(stage, callId, mcp(item), hasFailed)
      case 'collab_tool_call':
        return this.#tool(stage, callId, collaboration(item), hasFailed)
      case 'web_search':
        // Its query may be known only at the end. Codex does not tell what it found, or whether it failed.
        return stage === 'started' && item.query === '' ? [] : this.#tool(stage, callId, search(item), false)
      case 'todo_list':
        return this.#plan(stage, item)
      case 'error':
        // A warning. A failure is an event of its own.
        return [{ type: 'status', status: 'notice', message: boundedText(item.message) }]
      default:
        return []
    }
  }

  /** Some tools have no start, or one that is printed twice. */
  #tool(stage: Stage, callId: string | null, tool: Tool, isError: boolean): readonly RunHappening[] {
    if (stage === 'updated') return []
    const hasCall = callId === null ? stage === 'completed' : this.#open.has(callId)
    const call: RunHappening = { type: 'tool_call', callId, name: bounded(tool.name), input: tool.input }
    if (stage === 'started') this.#open.start(callId, true)
    else this.#open.end(callId)
    return [
      ...(hasCall ? [] : [call]),
      ...(stage === 'completed' ? [{ type: 'tool_result', callId, text: bounded(tool.text), isError } as const] : []),
    ]
  }

  /** Codex tells only what is done. At its end a turn repeats the last list. */
  #plan(stage: Stage, item: Fields): readonly RunHappening[] {
    if (stage === 'completed' && this.#hasPlan) return []
    this.#hasPlan = true
    const items = listIn(item.items)
      .slice(0, PLAN_MAX)
      .map((one) => ({
        text: boundedText(one.text),
        state: one.completed === true ? ('completed' as const) : ('pending' as const),
      }))
    return [{ type: 'plan', items }]
  }
}
