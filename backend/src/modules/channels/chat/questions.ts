/** Questions of agents as messages with buttons and forms of a chat service, and what comes back as answers. Pure. */
import type { AnswerDialog, Dialog, DialogField, DialogOption, DialogQuestion } from '@slipway/protocol'
import { CHUNK_MAX } from '../format/chunks.ts'
import { clean, cut, inline } from '../format/clean.ts'
import { FIELD_MAX, LINE_MAX } from './bounds.ts'
import type { ChatButton, ChatField, ChatForm, Post } from './port.ts'
import { type Asked, shownOf } from './shown.ts'

/** Most options that are buttons, and most fields of a form of Discord. */
const OPTION_BUTTONS_MAX = 20
const FORM_FIELDS_MAX = 5
/** Longest texts of Discord: of a button, of a form's title and of a field's label. */
const BUTTON_MAX = 80
const LABEL_MAX = 45

/** What a button or a form is for: a choice of an answer, or a form. */
export type Part =
  | { readonly dialogId: string; readonly choice: string }
  | { readonly dialogId: string; readonly form: 'answer' | 'deny' }

const CHOICE = 'answer'
const FORM = 'form'

/** What the id of a button or a form says; null if it is not one of ours. */
export const partOf = (id: string): Part | null => {
  const [kind, dialogId = '', value = ''] = id.split(':')
  if (kind === CHOICE) return { dialogId, choice: value }
  if (kind === FORM && (value === 'answer' || value === 'deny')) return { dialogId, form: value }
  return null
}

/** The only choice of a question: its options, and the field of a form that it is the answer to. */
const choiceOf = (question: DialogQuestion): { options: readonly DialogOption[]; field: DialogField | null } | null => {
  if (question.kind === 'select' && !question.multiple) return { options: question.options, field: null }
  const [field, another] = question.kind === 'form' ? question.fields : []
  if (field?.type !== 'select' || field.multiple || another) return null
  return { options: field.options ?? [], field }
}

/** Only a denial decides about what its message does not show. */
const buttonsOf = ({ id, question }: Asked, isWhole: boolean): ChatButton[] => {
  const button = (choice: string, label: string, style: ChatButton['style']): ChatButton => ({
    id: `${CHOICE}:${id}:${choice}`,
    label: cut(clean(label).replaceAll(/\s+/g, ' ').trim() || choice, BUTTON_MAX),
    style,
  })
  const form = (what: 'answer' | 'deny', label: string): ChatButton => ({
    id: `${FORM}:${id}:${what}`,
    label,
    style: 'plain',
  })
  if (question.kind === 'approval') {
    const allow = isWhole ? [button('allow', 'Allow once', 'yes')] : []
    const reason = question.takesReason === false ? [] : [form('deny', 'Deny with a reason')]
    return [...allow, button('deny', 'Deny', 'no'), ...reason]
  }
  if (!isWhole) return []
  if (question.kind === 'confirm') return [button('yes', 'Yes', 'yes'), button('no', 'No', 'no')]
  const choice = choiceOf(question)
  if (choice && choice.options.length <= OPTION_BUTTONS_MAX) {
    const options = choice.options.map(({ label }, index) => button(String(index), label, 'plain'))
    return choice.field?.custom === true ? [...options, form('answer', 'Another answer')] : options
  }
  return fitsForm(question) ? [form('answer', 'Answer')] : []
}

/** Whether a form can ask for all fields, with the whole of what is to be edited. */
const fitsForm = (question: DialogQuestion): boolean => {
  if (question.kind === 'editor') return question.prefill.length <= FIELD_MAX
  return question.kind !== 'form' || question.fields.length <= FORM_FIELDS_MAX
}

/** The page of a question, below the address of the platform. */
export const pageOf = (baseUrl: string, dialogId: string): string => `${baseUrl}/questions/${dialogId}`

/**
 * Whether the message of an open question has a button now. A message that an earlier version has posted may have one for
 * what it does not show, or whose form the service does not take.
 */
export const isOffered = (dialog: Asked, url: string, buttonId: string): boolean =>
  questionPost(dialog, url).buttons?.some(({ id }) => id === buttonId) === true

/** The message of an open question. `url` is its page. */
export const questionPost = (dialog: Asked, url: string): Post => {
  const link = `-# <${url}>`
  const { text, isWhole } = shownOf(dialog, CHUNK_MAX - link.length - 1)
  return { content: `${text}\n${link}`, buttons: buttonsOf(dialog, isWhole) }
}

/** The message of a question that needs no answer any more. `by` is who closed it. */
export const closedPost = (dialog: Pick<Dialog, 'title' | 'question' | 'state' | 'answer'>, by: string): Post => {
  const title = `**${inline(dialog.title, LINE_MAX)}**`
  return { content: `${title}\n${outcomeOf(dialog, by)}`, buttons: [] }
}

const outcomeOf = ({ question, state, answer }: Pick<Dialog, 'question' | 'state' | 'answer'>, by: string): string => {
  if (state === 'cancelled') return `🚫 Cancelled by ${by}`
  if (state === 'expired') return '⌛ The time to answer was over.'
  if (state === 'withdrawn' || answer === null) return '⌛ The agent does not wait for an answer any more.'
  if ('decision' in answer) return answer.decision === 'allow' ? `✅ Allowed by ${by}` : `❌ Denied by ${by}`
  const { value } = answer
  const choice = choiceOf(question)
  const isForm = typeof value === 'object' && !Array.isArray(value)
  const chosen = choice?.field && isForm ? value[choice.field.name] : value
  const option = choice?.options.find((one) => one.value === chosen)
  const said = option?.label ?? (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : null)
  return said === null ? `✅ Answered by ${by}` : `✅ ${inline(said, LINE_MAX)}, answered by ${by}`
}

/** The answer of a button; null if the question has no such choice. */
export const answerOfChoice = (question: DialogQuestion, choice: string): AnswerDialog | null => {
  if (question.kind === 'approval') return choice === 'allow' || choice === 'deny' ? { decision: choice } : null
  if (question.kind === 'confirm') return choice === 'yes' || choice === 'no' ? { value: choice === 'yes' } : null
  const found = choiceOf(question)
  const option = /^\d{1,3}$/.test(choice) ? found?.options[Number(choice)] : undefined
  if (!found || !option) return null
  return { value: found.field ? { [found.field.name]: option.value } : option.value }
}

/** The form of a question. */
export const formOf = (
  { id, title, question }: Omit<Asked, 'message' | 'folder'>,
  form: 'answer' | 'deny',
): ChatForm => {
  const of = {
    id: `${FORM}:${id}:${form}`,
    title: cut(clean(title).replaceAll(/\s+/g, ' ').trim() || 'Answer', LABEL_MAX),
  }
  const field = (name: string, label: string, more: Partial<ChatField> = {}): ChatField => ({
    ...{ id: name, label: cut(clean(label).replaceAll(/\s+/g, ' ').trim() || name, LABEL_MAX) },
    ...{ value: '', isLong: false, isRequired: true },
    ...more,
  })
  if (form === 'deny') return { ...of, fields: [field('0', 'Why not?', { isLong: true, isRequired: false })] }
  switch (question.kind) {
    case 'select':
      return {
        ...of,
        fields: [field('0', question.multiple ? 'Numbers of the options, with commas' : 'Number of the option')],
      }
    case 'form':
      return {
        ...of,
        fields: question.fields.map(({ label, name, type, required }, index) =>
          field(String(index), `${label || name}${HINTS[type]}`, { isLong: type === 'string', isRequired: required }),
        ),
      }
    case 'editor':
      return { ...of, fields: [field('0', 'Text', { isLong: true, isRequired: false, value: question.prefill })] }
    default:
      return { ...of, fields: [field('0', 'Answer', { isLong: true })] }
  }
}

const HINTS: Readonly<Record<DialogField['type'], string>> = {
  string: '',
  number: ' (a number)',
  integer: ' (a whole number)',
  boolean: ' (yes or no)',
  select: ' (text or number)',
}

/** The answer of a form that was filled in. What does not fit is refused like any other answer that does not. */
export const answerOfForm = (
  question: DialogQuestion,
  form: 'answer' | 'deny',
  values: ReadonlyMap<string, string>,
): AnswerDialog => {
  const first = values.get('0') ?? ''
  if (form === 'deny') return first.trim() === '' ? { decision: 'deny' } : { decision: 'deny', reason: first }
  if (question.kind === 'select') {
    const chosen = numbersIn(first).map((number) => question.options[number - 1]?.value ?? '')
    return { value: question.multiple ? chosen : (chosen[0] ?? '') }
  }
  if (question.kind !== 'form') return { value: first }
  const entries = question.fields.flatMap((field, index) => {
    const text = values.get(String(index)) ?? ''
    return text.trim() === '' && !field.required ? [] : [[field.name, valueOf(field, text)] as const]
  })
  return { value: Object.fromEntries(entries) }
}

const numbersIn = (text: string): number[] => (text.match(/\d{1,3}/g) ?? []).map(Number)

const valueOf = ({ type, options, multiple }: DialogField, text: string): string | number | boolean | string[] => {
  switch (type) {
    case 'boolean':
      return /^\s*(?:y|yes|true|1)\s*$/i.test(text) ? true : /^\s*(?:n|no|false|0)\s*$/i.test(text) ? false : text
    case 'number':
    case 'integer':
      return Number.isFinite(Number(text)) && text.trim() !== '' ? Number(text) : text
    case 'select': {
      const one = (part: string): string => {
        const number = /^\s*\d{1,3}\s*$/.test(part) ? options?.[Number(part) - 1] : undefined
        const label = part.trim().toLowerCase()
        return (number ?? options?.find((option) => option.label.toLowerCase() === label))?.value ?? part.trim()
      }
      return multiple ? text.split(',').map(one) : one(text)
    }
    default:
      return text
  }
}
