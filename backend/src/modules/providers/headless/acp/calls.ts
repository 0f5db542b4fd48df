/** The calls of tools, which ACP tells in parts: by a call, by a question to people, and by updates. */
import type { RunHappening } from '@slipway/protocol'
import { CHANGES_MAX, type FileChange } from '../parts/changes.ts'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'
import { OpenCalls } from '../parts/open-calls.ts'
import { planOf } from '../parts/plan.ts'
import type { AcpCli } from './cli.ts'

/** What is known of a call until it ends. */
export interface Call {
  /** The tool; null if the CLI does not name it. */
  readonly tool: string | null
  /** The protocol's own word for what the tool does, such as `edit`. */
  readonly kind: string
  readonly title: string
  /** Null: not known yet. Bounded. */
  readonly input: unknown
  /** Of a shell; null for any other tool, and before it is known. */
  readonly command: string | null
  /** What the model says about it, or null. */
  readonly description: string | null
  /** The change that it shows, with the fields' names of other CLIs; null if it shows none. */
  readonly edit: unknown
  readonly changes: readonly FileChange[]
  /** Whether the changes are those that it shows, and no mere places. */
  readonly isShown: boolean
  /** Whether the events have its start. */
  readonly isTold: boolean
}

const NOTHING: Call = {
  ...{ tool: null, kind: 'other', title: '', input: null, command: null },
  ...{ description: null, edit: null, changes: [], isShown: false, isTold: false },
}
const OVER: ReadonlySet<string> = new Set(['completed', 'failed'])
/** What a shell's input has before its command is known. */
const FOLDER_FIELD = 'cwd'

export const isOver = (update: Fields): boolean => OVER.has(textIn(update.status) ?? '')

export class AcpCalls {
  readonly #cli: AcpCli
  readonly #open = new OpenCalls<Call>()

  constructor(cli: AcpCli) {
    this.#cli = cli
  }

  /** Reads `tool_call` and `tool_call_update`. */
  read(update: Fields): RunHappening[] {
    const callId = callIdIn(update.toolCallId)
    const call = this.#merged(this.#open.end(callId), update, false)
    const ends = isOver(update)
    const isPlan = call.tool !== null && call.tool === this.#cli.planTool
    const tells = !call.isTold && !isPlan && (ends || isKnown(call))
    const start = tells ? [startOf(callId, call)] : []
    if (ends) return [...start, ...this.#ended(callId, call, update, isPlan)]
    this.#open.start(callId, { ...call, isTold: call.isTold || tells })
    return start
  }

  /** Whether the question with these fields can show what its tool is to do. */
  isKnown(fields: Fields): boolean {
    const callId = callIdIn(fields.toolCallId)
    return isKnown(this.#merged(this.#open.get(callId), fields, true))
  }

  /** Reads the call that a question is about. Answers it with its start, unless the events have that. */
  asked(fields: Fields): { readonly call: Call; readonly happenings: RunHappening[] } {
    const callId = callIdIn(fields.toolCallId)
    const call = this.#merged(this.#open.end(callId), fields, true)
    this.#open.start(callId, { ...call, isTold: true })
    return { call, happenings: call.isTold ? [] : [startOf(callId, call)] }
  }

  /** The CLI goes on without a result of this call: it was not allowed. */
  dropped(callId: string | null): RunHappening[] {
    const call = this.#open.end(callId)
    if (!call) return []
    const text = 'It was not allowed.'
    if (call.command !== null) return [commandEnded(callId, call.command, null, text)]
    return [{ type: 'tool_result', callId, text, isError: true }]
  }

  #merged(before: Call = NOTHING, update: Fields, isQuestion: boolean): Call {
    const tool = before.tool ?? this.#cli.toolIn(update)
    const kind = textIn(update.kind) ?? before.kind
    const title = bounded(textIn(update.title) ?? before.title)
    const contents = listIn(update.content)
    const raw = fieldsIn(update.rawInput)
    const hasInput = Object.keys(raw).some((name) => name !== FOLDER_FIELD)
    const diffs = contents.filter(({ type }) => type === 'diff')
    const edit = diffs.length === 1 && diffs[0] ? editOf(diffs[0]) : before.edit
    // A question tells the input in other words.
    const input = hasInput && !(isQuestion && before.input !== null) ? boundedJson(raw) : before.input
    const command =
      before.command ?? (kind === 'execute' ? (textIn(raw.command) ?? (this.#cli.titleIsCommand ? title : null)) : null)
    const isShown = before.isShown || diffs.length > 0
    const changes =
      before.isShown || (before.changes.length > 0 && !isShown)
        ? before.changes
        : changesOf(kind, diffs, listIn(update.locations))
    const description = textIn(raw.description) ?? textOf(contents) ?? before.description
    const known = { tool, kind, title, input, command: command && bounded(command) }
    return { ...known, description, edit, changes, isShown, isTold: before.isTold }
  }

  #ended(callId: string | null, call: Call, update: Fields, isPlan: boolean): RunHappening[] {
    const output = fieldsIn(update.rawOutput)
    const { text: told, exitCode } = this.#cli.endOf(output)
    const text = bounded(told ?? textOf(listIn(update.content)) ?? '')
    const isError = update.status !== 'completed'
    if (isPlan && !isError) return [planOf(fieldsIn(output.metadata).todos, 'content')]
    if (call.command !== null) return [commandEnded(callId, call.command, exitCode, text)]
    const changes = isError ? [] : call.changes
    return [
      { type: 'tool_result', callId, text, isError },
      ...changes.map((change) => ({ type: 'file_change', callId, ...change }) as const),
    ]
  }
}

const isKnown = ({ input, edit, command }: Call): boolean => input !== null || edit !== null || command !== null

const startOf = (callId: string | null, { command, tool, title, input, edit }: Call): RunHappening =>
  command === null
    ? { type: 'tool_call', callId, name: bounded(tool ?? title), input: input ?? edit ?? { title } }
    : commandStarted(callId, command)

/** The input of an edit, as other CLIs name its fields. */
const editOf = ({ path, oldText, newText }: Fields): unknown =>
  boundedJson({ file_path: path, old_string: oldText ?? '', new_string: newText })

/** The texts among the contents; null if there is none. */
const textOf = (contents: readonly Fields[]): string | null => {
  const texts = contents.flatMap(({ content }) => textIn(fieldsIn(content).text) ?? [])
  return texts.length === 0 ? null : texts.join('\n')
}

const changesOf = (kind: string, diffs: readonly Fields[], locations: readonly Fields[]): FileChange[] => {
  const changes = diffs.length > 0 ? diffs.map(changeOf) : locations.flatMap((location) => changeAt(kind, location))
  return changes.filter(({ path }) => path !== '').slice(0, CHANGES_MAX)
}

const changeOf = ({ path, oldText, _meta: meta }: Fields): FileChange => {
  const isNew = oldText === null || oldText === undefined || oldText === ''
  const isGone = fieldsIn(meta).kind === 'delete'
  return { path: bounded(textIn(path) ?? ''), change: isNew ? 'added' : isGone ? 'deleted' : 'modified' }
}

const changeAt = (kind: string, { path }: Fields): FileChange[] =>
  kind === 'edit' || kind === 'delete'
    ? [{ path: bounded(textIn(path) ?? ''), change: kind === 'edit' ? 'modified' : 'deleted' }]
    : []
