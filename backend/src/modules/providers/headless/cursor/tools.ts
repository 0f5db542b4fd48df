/** Cursor's tools. An event names its tool by a key, such as `shellToolCall`. */
import { posix } from 'node:path'
import type { RunHappening } from '@slipway/protocol'
import type { Change } from '../parts/changes.ts'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, type Fields, fieldsIn, integerIn, listIn, numberIn, textIn } from '../parts/json.ts'
import { planOf } from '../parts/plan.ts'

const SUFFIX = 'ToolCall'
const SHELL = 'shell'
const TODOS = 'updateTodos'
/** What Cursor puts before the state of an item of its list. */
const TODO_STATE = /^TODO_STATUS_/
/** The keys of a result that is no success. */
const FAILURES = ['failure', 'error', 'rejected', 'timeout'] as const

interface Call {
  readonly name: string
  readonly input: unknown
  readonly args: Fields
  readonly result: Fields
}

/** The call of an event; null if it names no tool. */
const callOf = (event: Fields): Call | null => {
  const call = fieldsIn(event.tool_call)
  const named = fieldsIn(call.function)
  const name = textIn(named.name)
  if (name !== null)
    return { name, input: named.arguments, args: fieldsIn(named.arguments), result: fieldsIn(named.result) }
  const key = Object.keys(call).find((one) => one.endsWith(SUFFIX))
  if (key === undefined) return null
  const { args, result } = fieldsIn(call[key])
  return { name: key.slice(0, -SUFFIX.length), input: args, args: fieldsIn(args), result: fieldsIn(result) }
}

/** The start of a call. */
export const callStarted = (event: Fields): readonly RunHappening[] => {
  const call = callOf(event)
  if (call === null || call.name === TODOS) return []
  const callId = callIdIn(event.call_id)
  if (call.name === SHELL) return [commandStarted(callId, commandIn(call.args))]
  return [{ type: 'tool_call', callId, name: bounded(call.name), input: boundedJson(call.input) }]
}

/** The end of a call. Relative paths start from `folder`. */
export const callEnded = (event: Fields, folder: string): readonly RunHappening[] => {
  const call = callOf(event)
  if (call === null) return []
  const callId = callIdIn(event.call_id)
  const failed = FAILURES.find((key) => call.result[key] !== undefined)
  const answer = fieldsIn(call.result[failed ?? 'success'])
  if (call.name === SHELL)
    return [commandEnded(callId, commandIn(call.args), integerIn(answer.exitCode), outputIn(answer))]
  if (call.name === TODOS) return failed === undefined ? [planIn(answer.todos ?? call.args.todos)] : []
  const change = failed === undefined ? changeOf(call.name, answer) : null
  const path = textIn(answer.path) ?? textIn(call.args.path)
  return [
    { type: 'tool_result', callId, text: bounded(textOf(answer, call.result)), isError: failed !== undefined },
    ...(change === null || path === null
      ? []
      : [{ type: 'file_change' as const, callId, path: bounded(posix.resolve(folder, path)), change }]),
  ]
}

const commandIn = ({ command }: Fields): string => bounded(textIn(command) ?? '')

const outputIn = (answer: Fields): string =>
  [answer.stdout, answer.stderr, answer.reason, answer.error].map((one) => textIn(one) ?? '').join('')

const planIn = (todos: unknown): RunHappening =>
  planOf(
    listIn(todos).map(({ content, status }) => ({
      content,
      status: textIn(status)?.replace(TODO_STATE, '').toLowerCase(),
    })),
    'content',
  )

const textOf = ({ content, message, errorMessage, error, reason }: Fields, result: Fields): string =>
  [content, message, errorMessage, error, reason].map(textIn).find((text) => text !== null) ??
  (Object.keys(result).length === 0 ? '' : textOfJson(result))

const textOfJson = (result: Fields): string => {
  const value = boundedJson(result)
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const changeOf = (name: string, answer: Fields): Change | null => {
  switch (name) {
    case 'delete':
      return 'deleted'
    case 'write':
      return numberIn(answer.linesCreated) === null ? 'modified' : 'added'
    case 'edit':
      return textIn(answer.diffString)?.startsWith('--- /dev/null') === true ? 'added' : 'modified'
    default:
      return null
  }
}
