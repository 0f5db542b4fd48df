/** Grades what a CLI wants to do with one of its tools. */
import { DIALOG_TEXT_MAX, type QuestionOf } from '@slipway/protocol'
import { type Grade, grade } from './grade.ts'
import { reasonOfPath } from './paths.ts'
import { REASONS } from './reasons.ts'

/** Tools of the CLIs that change nothing but what their input shows. */
const READING: ReadonlySet<string> = new Set(['Read', 'Glob', 'Grep', 'LS', 'NotebookRead', 'TodoWrite', 'ToolSearch'])
const FETCHING: ReadonlySet<string> = new Set(['WebFetch', 'WebSearch'])

/** Whether it changes nothing, whatever its input is. */
export const isReadingTool = (tool: string): boolean => READING.has(tool)

const gradeFor = (reason: keyof typeof REASONS): Grade => ({ tier: REASONS[reason][0], reasons: [REASONS[reason][1]] })

interface Use extends Pick<QuestionOf<'approval'>, 'tool' | 'command' | 'path'> {
  /** Whether the tool deletes the file. Absent: no. */
  readonly isDeleted?: boolean
}

/** `folder` is the working folder of the task, an absolute path. */
export const gradeOfTool = ({ tool, command, path, isDeleted = false }: Use, folder: string): Grade => {
  // The rest of a command that was cut is not known.
  if (command !== null) return command.length < DIALOG_TEXT_MAX - 1 ? grade(command) : gradeFor('long')
  if (isReadingTool(tool)) return gradeFor('reads')
  if (FETCHING.has(tool)) return gradeFor('fetches')
  if (path === null) return { tier: 2, reasons: ['This tool is not known, so what it does is not known.'] }
  const isInside = path.startsWith(`${folder}/`) && !/(?:^|\/)\.\.(?:\/|$)/.test(path)
  const reason = reasonOfPath(isInside ? path.slice(folder.length + 1) : path) ?? 'reads'
  if (reason !== 'changes') return gradeFor(reason)
  return gradeFor(!isInside ? 'moves' : isDeleted ? 'deletes' : 'changes')
}
