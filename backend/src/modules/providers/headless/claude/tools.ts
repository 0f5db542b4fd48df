/** Claude's calls of tools and their results. */
import type { RunHappening } from '@slipway/protocol'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, type Fields, fieldsIn, listIn, textIn } from '../parts/json.ts'
import { OpenCalls } from '../parts/open-calls.ts'
import { planOf } from '../parts/plan.ts'

const FILE_TOOLS = new Set(['Write', 'Edit', 'MultiEdit', 'NotebookEdit'])
/** The first line of a command that has failed. */
const EXIT_CODE = /^Exit code (\d{1,3})(?:\n|$)/
/** The last words about a background command. The ones before them are the model's. */
const BACKGROUND_EXIT_CODE = /\bexit code (\d{1,3})\)?\.?$/

interface Command {
  readonly callId: string | null
  readonly command: string
}

/** What a call turns out to be when its result comes. */
type End = (text: string, isError: boolean, details: Fields) => RunHappening[]

export class ClaudeTools {
  readonly #open = new OpenCalls<End>()
  /** Commands that go on after their result, by Claude's own id of the task. */
  readonly #background = new OpenCalls<Command>()

  /** A block `tool_use`. */
  call(block: Fields): RunHappening[] {
    const callId = callIdIn(block.id)
    const name = textIn(block.name)
    if (name === null) return []
    const input = fieldsIn(block.input)
    if (name === 'Bash' && typeof input.command === 'string') {
      const command = bounded(input.command)
      this.#open.start(callId, (...result) => this.#commandResult({ callId, command }, ...result))
      return [commandStarted(callId, command)]
    }
    if (name === 'TodoWrite' && Array.isArray(input.todos)) {
      this.#open.start(callId, (text, isError) => (isError ? [{ type: 'tool_result', callId, text, isError }] : []))
      return [planOf(input.todos, 'content')]
    }
    const path = FILE_TOOLS.has(name) ? (textIn(input.file_path) ?? textIn(input.notebook_path)) : null
    if (path !== null) this.#open.start(callId, fileResult(callId, bounded(path)))
    return [{ type: 'tool_call', callId, name: bounded(name), input: boundedJson(block.input) }]
  }

  /** A block `tool_result`. `details` is what Claude itself knows of it, in addition to what the model reads. */
  result(block: Fields, details: unknown): RunHappening[] {
    const callId = callIdIn(block.tool_use_id)
    const isError = block.is_error === true
    const text = bounded(contentOf(block.content))
    const end = this.#open.end(callId)
    return end ? end(text, isError, fieldsIn(details)) : [{ type: 'tool_result', callId, text, isError }]
  }

  /** A line `task_notification`: a background command or a subagent has ended. */
  notification(line: Fields): RunHappening[] {
    const summary = bounded(textIn(line.summary) ?? '')
    const command = this.#background.end(callIdIn(line.task_id))
    if (command) return [ended(command, codeIn(BACKGROUND_EXIT_CODE, summary), summary)]
    return summary === '' ? [] : [{ type: 'status', status: 'background', message: summary }]
  }

  #commandResult(command: Command, text: string, isError: boolean, details: Fields): RunHappening[] {
    if (isError) return [ended(command, codeIn(EXIT_CODE, text), text.replace(EXIT_CODE, ''))]
    const taskId = callIdIn(details.backgroundTaskId)
    if (taskId !== null) {
      this.#background.start(taskId, command)
      return [{ type: 'status', status: 'background', message: text }]
    }
    const [stdout, stderr] = [textIn(details.stdout), textIn(details.stderr)]
    if (stdout === null || stderr === null) return [ended(command, null, text)]
    // Claude explains an exit code that is no failure, such as that of a `grep` without a match. It was not 0.
    const isZero = details.interrupted !== true && textIn(details.returnCodeInterpretation) === null
    return [ended(command, isZero ? 0 : null, [stdout, stderr].filter((stream) => stream !== '').join('\n'))]
  }
}

const fileResult =
  (callId: string | null, path: string): End =>
  (text, isError, details) => {
    const result: RunHappening = { type: 'tool_result', callId, text, isError }
    if (isError) return [result]
    return [result, { type: 'file_change', callId, path, change: details.type === 'create' ? 'added' : 'modified' }]
  }

const ended = ({ callId, command }: Command, exitCode: number | null, output: string): RunHappening =>
  commandEnded(callId, command, exitCode, output)

const codeIn = (pattern: RegExp, text: string): number | null => {
  const [, code] = pattern.exec(text) ?? []
  return code === undefined ? null : Number(code)
}

/** What the model reads of a result: a text, or a list of texts and pictures. */
const contentOf = (content: unknown): string =>
  textIn(content) ??
  listIn(content)
    .flatMap((part) => textIn(part.text) ?? (part.type === 'image' ? '[image]' : []))
    .join('\n')
