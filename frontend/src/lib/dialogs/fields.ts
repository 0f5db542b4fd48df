/** The fields in which a user writes an answer, and the answer that they make. */
import type { AnswerDialog, DialogField, DialogQuestion } from '@slipway/protocol'

/** A field of the page. `long` is a text of several lines. */
export interface AskedField extends Omit<DialogField, 'type'> {
  readonly type: DialogField['type'] | 'long'
  readonly placeholder: string | null
}

/** What the user has entered into one field. */
export interface FieldDraft {
  /** A text, or a number as it was typed. Of a choice: the text of the user's own. */
  text: string
  /** The values of the chosen options. */
  chosen: string[]
  /** Whether the text of the user's own is chosen. */
  isOwn: boolean
  isYes: boolean
}

/** A question that is answered with fields. An approval and a confirmation have buttons. */
export type QuestionWithFields = Exclude<DialogQuestion, { kind: 'approval' | 'confirm' }>
type Value = Extract<AnswerDialog, { value: unknown }>['value']
type FieldValue = string | number | boolean | string[]

const PLAIN = {
  name: '',
  label: '',
  description: null,
  multiple: false,
  custom: false,
  options: null,
  placeholder: null,
}

export function fieldsOf(question: QuestionWithFields): AskedField[] {
  switch (question.kind) {
    case 'select':
      return [
        {
          ...PLAIN,
          type: 'select',
          options: question.options,
          multiple: question.multiple,
          required: !question.multiple,
        },
      ]
    case 'input':
      return [{ ...PLAIN, type: 'string', required: false, placeholder: question.placeholder }]
    case 'editor':
      return [{ ...PLAIN, type: 'long', required: false }]
    case 'form':
      return question.fields.map((field) => ({ ...field, placeholder: null }))
  }
}

export const draftsOf = (question: QuestionWithFields): FieldDraft[] =>
  fieldsOf(question).map(() => ({
    text: question.kind === 'editor' ? question.prefill : '',
    chosen: [],
    isOwn: false,
    isYes: false,
  }))

/** The value of one field; undefined if it has none. */
function valueOf(field: AskedField, { text, chosen, isOwn, isYes }: FieldDraft): FieldValue | undefined {
  switch (field.type) {
    case 'boolean':
      return isYes
    case 'number':
    case 'integer':
      return text.trim() === '' ? undefined : Number(text)
    case 'string':
    case 'long':
      return text === '' ? undefined : text
    case 'select': {
      const values = isOwn && text.trim() !== '' ? [...chosen, text.trim()] : chosen
      if (!field.multiple) return values.at(-1)
      return values.length === 0 && !field.required ? undefined : values
    }
  }
}

/** What is wrong with a field. Null: nothing. */
export function problemOf(field: AskedField, draft: FieldDraft): string | null {
  const value = valueOf(field, draft)
  if (field.type === 'select' && draft.isOwn && draft.text.trim() === '') return 'Write your own answer.'
  if (value === undefined || (Array.isArray(value) && value.length === 0)) {
    if (!field.required) return null
    return field.type === 'select' ? 'Choose an option.' : 'An answer is needed.'
  }
  if (field.type === 'integer' && !Number.isSafeInteger(value)) return 'Must be a whole number.'
  if (field.type === 'number' && !Number.isFinite(value)) return 'Must be a number.'
  return null
}

/** The answer that the fields make. */
export function answerOf(question: QuestionWithFields, drafts: readonly FieldDraft[]): AnswerDialog {
  const values = fieldsOf(question).map((field, at): [string, FieldValue | undefined] => {
    const draft = drafts[at]
    return [field.name, draft && valueOf(field, draft)]
  })
  if (question.kind !== 'form') return { value: values[0]?.[1] ?? (question.kind === 'select' ? [] : '') }
  const given = values.filter((entry): entry is [string, FieldValue] => entry[1] !== undefined)
  return { value: Object.fromEntries(given) satisfies Value }
}
