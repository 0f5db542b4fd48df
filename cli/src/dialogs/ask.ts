/** Shows a question of the platform with the methods of a {@link Ui}, and makes the platform's answer of what comes back. */
import type { AnswerDialog, Dialog, QuestionOf } from '@slipway/protocol'
import type { AskOptions, SelectOption, Ui } from '../ui/ui.ts'
import { askForm } from './form.ts'
import { optionOf, type Reply, replyOf } from './reply.ts'

/** How often a person may come back from editing a command to the choice. */
const ROUNDS_MAX = 20

const valueOf = (value: string | boolean | readonly string[]): AnswerDialog => ({
  value: typeof value === 'object' ? [...value] : value,
})

/** The title and the message, each in its own lines. */
export const textOf = ({ title, message }: Dialog): string => (message === null ? title : `${title}\n${message}`)

/** Asks once. The signal is aborted when the question needs no answer any more. */
export const askDialog = async (ui: Ui, dialog: Dialog, opts: AskOptions): Promise<Reply> => {
  const { question } = dialog
  switch (question.kind) {
    case 'approval':
      return askApproval(ui, dialog, question, opts)
    case 'select': {
      const { multiple } = question
      return replyOf(await ui.select(textOf(dialog), question.options.map(optionOf), { ...opts, multiple }), valueOf)
    }
    case 'confirm':
      return replyOf(await ui.confirm(dialog.title, dialog.message ?? '', opts), valueOf)
    case 'input':
      return replyOf(await ui.input(textOf(dialog), question.placeholder, opts), valueOf)
    case 'editor':
      return replyOf(await ui.editor(textOf(dialog), question.prefill, opts), valueOf)
    case 'form':
      return askForm(ui, textOf(dialog), question.fields, opts)
  }
}

/** What a person decides on. A client that shows nothing but the title shows all of it. */
const approvalText = (dialog: Dialog, question: QuestionOf<'approval'>): string => {
  const { command, path, tool, input, tier, reasons, why } = question
  return [
    textOf(dialog),
    command === null
      ? [tool, ...(path === null ? [] : [JSON.stringify(path)]), JSON.stringify(input)].join(' ')
      : `$ ${command}`,
    ...(dialog.folder === null ? [] : [`in ${dialog.folder}`]),
    [`Tier ${tier}.`, ...reasons].join(' '),
    ...(why === null ? [] : [why]),
  ].join('\n')
}

/** The first one is chosen by an Enter that was meant for something else. */
const choices = (isEditable: boolean): SelectOption[] => [
  { value: 'deny', label: 'Deny', description: 'The agent gets your reason' },
  { value: 'allow', label: 'Allow once' },
  ...(isEditable ? [{ value: 'edit', label: 'Edit', description: 'Allow another command' }] : []),
]

const askApproval = async (
  ui: Ui,
  dialog: Dialog,
  question: QuestionOf<'approval'>,
  opts: AskOptions,
): Promise<Reply> => {
  const title = approvalText(dialog, question)
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const chosen = await ui.select(title, choices(question.editable && question.command !== null), opts)
    if (!chosen.ok || chosen.value === null) return replyOf(chosen, valueOf)
    if (chosen.value === 'allow') return { kind: 'answer', answer: { decision: 'allow' } }
    if (chosen.value === 'deny') return deny(ui, dialog, opts)
    const edited = await ui.editor('The command to allow', question.command ?? '', opts)
    if (!edited.ok) return replyOf(edited, valueOf)
    const command = edited.value?.trim() ?? ''
    if (command !== '') return { kind: 'answer', answer: { decision: 'allow', command } }
  }
  return { kind: 'cancel' }
}

/** A denial needs no reason, so it counts whatever becomes of the second question. */
const deny = async (ui: Ui, { title }: Dialog, opts: AskOptions): Promise<Reply> => {
  const reason = await ui.input(`${title}\nWhy not? The agent reads it.`, 'No reason', opts)
  if (!reason.ok && reason.error === 'withdrawn') return replyOf(reason, valueOf)
  const text = reason.ok ? (reason.value?.trim() ?? '') : ''
  return { kind: 'answer', answer: { decision: 'deny', ...(text === '' ? {} : { reason: text }) } }
}
