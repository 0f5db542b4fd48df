/** OpenCode's tools. An event `tool_use` comes once, when the tool has ended. */
import { posix } from 'node:path'
import type { RunHappening } from '@slipway/protocol'
import { changeIn, CHANGES_MAX, type Change, type FileChange } from '../parts/changes.ts'
import { commandEnded, commandStarted } from '../parts/happenings.ts'
import { callIdIn } from '../parts/ids.ts'
import { bounded, boundedJson, countIn, type Fields, fieldsIn, listIn, numberIn, textIn } from '../parts/json.ts'
import { planOf } from '../parts/plan.ts'

const SHELL = 'bash'
const TODOS = 'todowrite'
/** What OpenCode prints for a command that has printed nothing. */
export const NO_OUTPUT = '(no output)'

/** The call and the result of a part `tool`. Relative paths start from `folder`. */
export const toolHappenings = (part: Fields, folder: string): RunHappening[] => {
  const state = fieldsIn(part.state)
  // To save context, OpenCode later removes the output of old calls, even of earlier processes, and prints them again.
  if (numberIn(fieldsIn(state.time).compacted) !== null) return []
  const callId = callIdIn(part.callID)
  const name = bounded(textIn(part.tool) ?? '')
  const input = fieldsIn(state.input)
  const metadata = fieldsIn(state.metadata)
  const isError = state.status !== 'completed'
  const text = bounded(textIn(isError ? state.error : state.output) ?? '')

  if (name === SHELL) {
    const command = bounded(textIn(input.command) ?? '')
    const output = text === NO_OUTPUT ? '' : text
    return [commandStarted(callId, command), commandEnded(callId, command, countIn(metadata.exit), output)]
  }
  if (name === TODOS && !isError) return [planOf(metadata.todos ?? input.todos, 'content')]
  const changes = isError ? [] : changesOf(name, input, metadata)
  return [
    { type: 'tool_call', callId, name, input: boundedJson(state.input) },
    { type: 'tool_result', callId, text, isError },
    ...changes.map(({ path, change }) => ({
      type: 'file_change' as const,
      callId,
      path: bounded(posix.resolve(folder, path)),
      change,
    })),
  ]
}

const changesOf = (name: string, input: Fields, metadata: Fields): FileChange[] => {
  switch (name) {
    case 'write':
      return changeOf(metadata.filepath ?? input.filePath, metadata.exists === false ? 'added' : 'modified')
    case 'edit':
      return changeOf(input.filePath, input.oldString === '' ? 'added' : 'modified')
    case 'apply_patch':
      return listIn(metadata.files).slice(0, CHANGES_MAX).flatMap(patched)
    default:
      return []
  }
}

const patched = (file: Fields): FileChange[] => {
  if (file.type === 'move') return [...changeOf(file.filePath, 'deleted'), ...changeOf(file.movePath, 'added')]
  return changeOf(file.filePath, changeIn(file.type))
}

const changeOf = (value: unknown, change: Change | undefined): FileChange[] => {
  const path = textIn(value)
  return path === null || path === '' || change === undefined ? [] : [{ path, change }]
}
