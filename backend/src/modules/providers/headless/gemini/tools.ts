/** Gemini CLI's calls of tools and their results. */
import { posix } from 'node:path'
import type { RunHappening } from '@slipway/protocol'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, type Fields, fieldsIn, textIn } from '../parts/json.ts'
import { OpenCalls } from '../parts/open-calls.ts'
import { planOf } from '../parts/plan.ts'

const SHELL = 'run_shell_command'
const TODOS = 'write_todos'
const FILE_TOOLS = new Set(['write_file', 'replace'])
/** What Gemini prints for a command that has failed without any output. */
const EXIT_CODE = /^Command exited with code: (?<code>\d{1,3})$/

/** What a call turns out to be when its result comes. */
type End = (text: string, isError: boolean) => RunHappening[]

export class GeminiTools {
  readonly #folder: string
  readonly #open = new OpenCalls<End>()

  /** `folder` is the working folder, from which relative paths start. */
  constructor(folder: string) {
    this.#folder = folder
  }

  /** The event `tool_use`. */
  call(event: Fields): RunHappening[] {
    const callId = callIdIn(event.tool_id)
    const name = bounded(textIn(event.tool_name) ?? '')
    const input = fieldsIn(event.parameters)
    const call: RunHappening = { type: 'tool_call', callId, name, input: boundedJson(event.parameters) }

    if (name === SHELL) {
      const command = bounded(textIn(input.command) ?? '')
      this.#open.start(callId, (output, isError) => {
        const exitCode = isError ? null : exitCodeOf(output)
        return [commandEnded(callId, command, exitCode, output)]
      })
      return [commandStarted(callId, command)]
    }
    if (name === TODOS && callId !== null) {
      const plan = planOf(input.todos, 'description')
      this.#open.start(callId, (text, isError) =>
        isError ? [call, { type: 'tool_result', callId, text, isError }] : [plan],
      )
      return []
    }
    const path = FILE_TOOLS.has(name) ? textIn(input.file_path) : null
    if (path !== null) {
      const change: RunHappening = {
        type: 'file_change',
        callId,
        path: bounded(posix.resolve(this.#folder, path)),
        // Whether `write_file` made the file is not printed.
        change: name === 'replace' && input.old_string === '' ? 'added' : 'modified',
      }
      this.#open.start(callId, (text, isError) => [
        { type: 'tool_result', callId, text, isError },
        ...(isError ? [] : [change]),
      ])
    }
    return [call]
  }

  /** The event `tool_result`. */
  result(event: Fields): RunHappening[] {
    const callId = callIdIn(event.tool_id)
    const isError = event.status !== 'success'
    const text = bounded(textIn(event.output) ?? textIn(fieldsIn(event.error).message) ?? '')
    const end = this.#open.end(callId)
    return end ? end(text, isError) : [{ type: 'tool_result', callId, text, isError }]
  }
}

/** A command without any output has succeeded, unless the output says otherwise. With output, the code is not printed. */
const exitCodeOf = (output: string): number | null => {
  if (output === '') return 0
  const code = EXIT_CODE.exec(output)?.groups?.code
  return code === undefined ? null : Number(code)
}
