/** The tools that Copilot's model uses. */
import type { RunHappening } from '@slipway/protocol'
import { changeIn, CHANGES_MAX, type Change, type FileChange } from '../parts/changes.ts'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, fieldsIn, integerIn, listIn, textIn, type Fields } from '../parts/json.ts'
import { OpenCalls } from '../parts/open-calls.ts'
import { PLAN_MAX } from '../parts/plan.ts'

type Plan = Extract<RunHappening, { type: 'plan' }>['items']

const SHELLS: ReadonlySet<string> = new Set(['bash', 'shell', 'powershell'])
/** `create` refuses a path that exists. */
const WRITES: ReadonlyMap<string, Change> = new Map([
  ['create', 'added'],
  ['edit', 'modified'],
])
const PATCH = /^\*\*\* (?<kind>Add|Update|Delete) File: (?<path>.+)$/gm
/** The line that Copilot adds to the output of a command. */
export const EXIT_LINE = /\n?<shellId: \d+ completed with exit code -?\d+>\s*$/
/** One line of a to-do list in Markdown. */
const TODO = /^\s*[-*] \[(?<mark>[ xX~-])\] (?<text>.+)$/

/** A call that has not ended. */
type Call =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'plan' }
  | { readonly kind: 'other'; readonly changes: readonly FileChange[] }

/** The files in the headings of a patch. */
const patchChanges = (patch: string): readonly FileChange[] => {
  const changes: FileChange[] = []
  for (const { groups } of patch.matchAll(PATCH)) {
    const change = changeIn(groups?.kind?.toLowerCase())
    if (change !== undefined) changes.push({ path: bounded(groups?.path?.trim() ?? ''), change })
    if (changes.length === CHANGES_MAX) break
  }
  return changes
}

/** The files that a call changes if it succeeds. */
const changesOf = (name: string, input: unknown): readonly FileChange[] => {
  const fields = fieldsIn(input)
  if (name === 'apply_patch') return patchChanges(textIn(input) ?? textIn(fields.input) ?? textIn(fields.patch) ?? '')
  const change = WRITES.get(name)
  const path = textIn(fields.path)
  return change === undefined || path === null ? [] : [{ path: bounded(path), change }]
}

const stateOf = (mark: string | undefined): Plan[number]['state'] => {
  if (mark === ' ') return 'pending'
  return mark === 'x' || mark === 'X' ? 'completed' : 'in_progress'
}

/** The entries of a to-do list; empty if the text is none. */
const planIn = (list: string): Plan =>
  bounded(list)
    .split('\n')
    .flatMap((line) => {
      const found = TODO.exec(line)?.groups
      return found === undefined ? [] : [{ text: found.text ?? '', state: stateOf(found.mark) }]
    })
    .slice(0, PLAN_MAX)

const exitCodeIn = (data: Fields): number | null => {
  const exit = listIn(fieldsIn(data.result).contents).find(({ type }) => type === 'shell_exit')
  return integerIn(fieldsIn(data.shellExecution).exitCode ?? exit?.exitCode)
}

/** What a call answered, or why it failed. */
const answerOf = (data: Fields): string =>
  textIn(fieldsIn(data.result).content) ?? textIn(fieldsIn(data.error).message) ?? ''

/** Reads the calls of one process. */
export class CopilotTools {
  readonly #open = new OpenCalls<Call>()

  started(data: Fields): readonly RunHappening[] {
    const callId = callIdIn(data.toolCallId)
    const name = textIn(data.toolName) ?? ''
    const fields = fieldsIn(data.arguments)
    if (SHELLS.has(name)) {
      const command = bounded(textIn(fields.command) ?? '')
      this.#open.start(callId, { kind: 'command', command })
      return [commandStarted(callId, command)]
    }
    const items = name === 'update_todo' ? planIn(textIn(fields.todos) ?? '') : []
    if (items.length > 0) {
      this.#open.start(callId, { kind: 'plan' })
      return [{ type: 'plan', items }]
    }
    this.#open.start(callId, { kind: 'other', changes: changesOf(name, data.arguments) })
    return [{ type: 'tool_call', callId, name: bounded(name), input: boundedJson(data.arguments) }]
  }

  ended(data: Fields): readonly RunHappening[] {
    const callId = callIdIn(data.toolCallId)
    const call = this.#open.end(callId)
    if (call?.kind === 'plan') return []
    const text = answerOf(data)
    if (call?.kind === 'command')
      return [commandEnded(callId, call.command, exitCodeIn(data), text.replace(EXIT_LINE, ''))]
    const isError = data.success !== true
    const changes = isError ? [] : (call?.changes ?? [])
    return [
      { type: 'tool_result', callId, text: bounded(text), isError },
      ...changes.map((change) => ({ type: 'file_change', callId, ...change }) as const),
    ]
  }
}
