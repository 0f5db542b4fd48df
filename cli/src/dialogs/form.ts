/** A form, one field after the other. */
import type { AnswerDialog, DialogField } from '@slipway/protocol'
import { answered, type AskOptions, failed, type Outcome, type Ui } from '../ui/ui.ts'
import { optionOf, type Reply, replyOf } from './reply.ts'

/** How often a person is asked for a number before the answer counts as invalid. */
const ATTEMPTS = 3
/** The value of the option that leaves a field empty. */
const EMPTY = ''

type Value = string | number | boolean | readonly string[]
/** Undefined: a field that was left empty. */
type Entry = { readonly value: Value | undefined }

/** Asks for all fields. One that is cancelled cancels all. */
export const askForm = async (
  ui: Ui,
  title: string,
  fields: readonly DialogField[],
  opts: AskOptions,
): Promise<Reply> => {
  const values = new Map<string, Value>()
  for (const field of fields) {
    const outcome = await askField(ui, title, field, opts)
    if (!outcome.ok || outcome.value === null) return replyOf<Entry>(outcome, () => ({ value: {} }))
    if (outcome.value.value !== undefined) values.set(field.name, outcome.value.value)
  }
  return { kind: 'answer', answer: { value: Object.fromEntries(values) } as AnswerDialog }
}

const askField = async (ui: Ui, title: string, field: DialogField, opts: AskOptions): Promise<Outcome<Entry>> => {
  const { label, name, description, type, options, multiple, custom, required } = field
  const text = [
    title,
    `${label || name}${required ? '' : ' (optional)'}`,
    ...(description === null ? [] : [description]),
  ]
  const asked = text.join('\n')
  if (type === 'boolean') return entry(await ui.confirm(asked, '', opts))
  if (type === 'select') {
    const shown = (options ?? []).map(optionOf)
    const none = required || multiple ? [] : [{ value: EMPTY, label: 'No answer' }]
    return entry(await ui.select(asked, [...shown, ...none], { ...opts, multiple, custom }), required)
  }
  if (type === 'string') return entry(await ui.input(asked, null, opts), required)
  return askNumber(ui, asked, field, opts)
}

const entry = (outcome: Outcome<Value>, isRequired = true): Outcome<Entry> => {
  if (!outcome.ok) return outcome
  if (outcome.value === null) return answered<Entry>(null)
  return answered({ value: !isRequired && outcome.value === EMPTY ? undefined : outcome.value })
}

const askNumber = async (ui: Ui, asked: string, field: DialogField, opts: AskOptions): Promise<Outcome<Entry>> => {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const outcome = await ui.input(asked, '0', opts)
    if (!outcome.ok || outcome.value === null) return entry(outcome)
    const text = outcome.value.trim()
    if (text === '' && !field.required) return answered<Entry>({ value: undefined })
    const number = Number(text)
    const isNumber = text !== '' && Number.isFinite(number)
    if (isNumber && (field.type !== 'integer' || Number.isSafeInteger(number))) return answered({ value: number })
    ui.notify(field.type === 'integer' ? 'Enter a whole number.' : 'Enter a number.', 'error')
  }
  return failed('invalid_response')
}
