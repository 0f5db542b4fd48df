/** What a message shows of a question: all of it, or its beginning if all of it does not fit. Pure. */
import {
  type Dialog,
  type DialogField,
  type DialogOption,
  type DialogQuestion,
  type QuestionOf,
  withHiddenInSight,
} from '@slipway/protocol'
import { chunksOf } from '../format/chunks.ts'
import { codeBlock, cut, escaped, exactBlock, FENCE_MARK, inline } from '../format/clean.ts'
import { LINE_MAX } from './bounds.ts'

/** Longest text in one block, options and fields of a question of which only the beginning is shown. */
const BODY_MAX = 700
const OPTIONS_SHOWN = 20
const FIELDS_SHOWN = 5
/** Longest line of an option with its description, in UTF-16 code units. Its label is never cut for it. */
const OPTION_LINE_MAX = 60
const NOT_ALL = 'This is not all of it. Its page shows all of it, and takes the answer.'

export type Asked = Pick<Dialog, 'id' | 'title' | 'message' | 'question' | 'folder'>

/** The text of a message about a question, and whether it has all on which its reader decides. */
export interface Shown {
  readonly text: string
  readonly isWhole: boolean
}

/** How long the parts of a message may be. */
interface Limits {
  readonly body: number
  readonly line: number
  readonly options: number
  readonly fields: number
}

const WHOLE: Limits = { body: Infinity, line: Infinity, options: Infinity, fields: Infinity }
const BEGINNING: Limits = { body: BODY_MAX, line: LINE_MAX, options: OPTIONS_SHOWN, fields: FIELDS_SHOWN }

/** `max`: the longest text, in UTF-16 code units. */
export const shownOf = (dialog: Asked, max: number): Shown => {
  // A fence would end the block that shows it.
  if (isKnown(dialog.question) && decisiveOf(dialog.question).every((text) => !text.includes(FENCE_MARK))) {
    const text = textOf(dialog, WHOLE)
    if (text.length <= max) return { text, isWhole: true }
  }
  const [first = ''] = chunksOf(textOf(dialog, BEGINNING), max - NOT_ALL.length - 1)
  return { text: `${first}\n${NOT_ALL}`, isWhole: false }
}

/** Whether all is here that a tool gets. A text is the beginning of an input that is too large, or stands for one that is too deep. */
const isKnown = (question: DialogQuestion): boolean =>
  question.kind !== 'approval' ||
  question.command !== null ||
  (typeof question.input === 'object' && question.input !== null)

/** The characters about which an approval is a decision: a command, or a path and what the tool gets. */
const decisiveOf = (question: DialogQuestion): string[] => {
  if (question.kind !== 'approval') return []
  const { command, path, input } = question
  return command === null ? [...(path === null ? [] : [path]), jsonOf(input)] : [command]
}

/** JSON has another way to write a fence, so it can always be shown. */
const jsonOf = (input: unknown): string =>
  JSON.stringify(input ?? null, null, 2).replaceAll(FENCE_MARK, String.raw`\u0060\u0060\u0060`)

const textOf = ({ title, message, folder, question }: Asked, limits: Limits): string =>
  [
    `❓ **${inline(title, limits.line)}**`,
    message === null || message === '' ? [] : codeBlock(cut(message, limits.body)),
    question.kind === 'approval' ? approvalLines(question, folder, limits) : optionLines(question, limits),
  ]
    .flat()
    .join('\n')

const approvalLines = (question: QuestionOf<'approval'>, folder: string | null, limits: Limits): string[] => {
  const { tool, command, tier, reasons, why } = question
  return [
    command === null ? inline(tool, limits.line) : [],
    decisiveOf(question).map((text) => exactBlock(cut(text, limits.body))),
    // A line feed in its name could pass for a line of the platform.
    folder === null ? [] : `In ${escaped(cut(withHiddenInSight(folder).replaceAll('\n', '�'), limits.line))}`,
    `Tier ${tier}. ${inline(reasons.join(' '), limits.line)}`,
    why === null || why === '' ? [] : inline(why, limits.line),
  ].flat(2)
}

/** Its fields with their options, or its options. */
const optionLines = (question: DialogQuestion, limits: Limits): string[] => {
  if (question.kind === 'select') return listed(question.options, limits.options, limits)
  if (question.kind !== 'form') return []
  const fields = question.fields.slice(0, limits.fields)
  const perField = Math.floor(limits.options / fields.length)
  return fields.flatMap((field) => [...fieldLines(field, limits), ...listed(field.options ?? [], perField, limits)])
}

/** The label may be a mere heading of the question, which is then the description. */
const fieldLines = ({ label, name, description }: DialogField, { line }: Limits): string[] => {
  const heading = label || name
  const isMore = description !== null && description !== '' && description !== heading
  return [inline(heading, line), ...(isMore ? [inline(description, line)] : [])]
}

const listed = (options: readonly DialogOption[], count: number, { line }: Limits): string[] =>
  options.slice(0, count).map(({ label, description }, index) => {
    const says = description === null || description === '' ? '' : `: ${description}`
    return `${index + 1}. ${inline(label + says, Math.min(line, Math.max(label.length + 1, OPTION_LINE_MAX)))}`
  })
