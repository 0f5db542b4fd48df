/** Whether an answer fits its question. Pure. */
import type { AnswerDialog, DialogField, DialogOption, DialogQuestion, QuestionOf } from '@slipway/protocol'
import { MASK } from './rules/matching/command.ts'

type Decision = Extract<AnswerDialog, { decision: unknown }>
type Value = Extract<AnswerDialog, { value: unknown }>['value']

/** A command with a masked secret cannot be edited: the CLI would run the mask. Allowed as it is, it runs with the secret. */
export const withoutMaskedEdit = (question: DialogQuestion): DialogQuestion =>
  question.kind === 'approval' && question.command?.includes(MASK) ? { ...question, editable: false } : question

/** Why the answer does not fit, as `field: reason`; null if it does. */
export const refusalOf = (question: DialogQuestion, answer: AnswerDialog): string | null => {
  if (question.kind === 'approval') {
    if (!('decision' in answer)) return 'body.decision: is needed'
    if (answer.decision === 'allow' && answer.command !== undefined && !question.editable)
      return 'body.command: cannot be changed here'
    return answer.always === undefined ? null : refusalOfAlways(question, answer)
  }
  if (!('value' in answer)) return 'body.value: is needed'
  const refusal = refusalOfValue(question, answer.value)
  return refusal === null ? null : `body.value${refusal}`
}

const refusalOfAlways = (question: QuestionOf<'approval'>, answer: Decision): string | null => {
  if (question.rules === undefined || question.rules.length === 0) return 'body.always: no rule can decide this'
  if (answer.decision === 'deny') return null
  if (answer.command !== undefined) return 'body.always: is not possible with a changed command'
  return question.tier > 2 ? 'body.always: people are always asked about tier 3' : null
}

const refusalOfValue = (question: Exclude<DialogQuestion, { kind: 'approval' }>, value: Value): string | null => {
  switch (question.kind) {
    case 'confirm':
      return typeof value === 'boolean' ? null : ': must be true or false'
    case 'input':
    case 'editor':
      return typeof value === 'string' ? null : ': must be a text'
    case 'select':
      return refusalOfChoice(question.options, question.multiple, false, value)
    case 'form':
      return refusalOfForm(question.fields, value)
  }
}

const refusalOfForm = (fields: readonly DialogField[], value: Value): string | null => {
  if (typeof value !== 'object' || Array.isArray(value)) return ': must have the values of the fields'
  const known = new Set(fields.map(({ name }) => name))
  const unknown = Object.keys(value).find((name) => !known.has(name))
  if (unknown !== undefined) return `.${unknown}: is no field of this form`
  for (const field of fields) {
    const one = Object.hasOwn(value, field.name) ? value[field.name] : undefined
    if (one === undefined) {
      if (field.required) return `.${field.name}: is needed`
      continue
    }
    const refusal = refusalOfField(field, one)
    if (refusal !== null) return `.${field.name}${refusal}`
  }
  return null
}

const refusalOfField = ({ type, options, multiple, custom }: DialogField, value: Value): string | null => {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean' ? null : ': must be true or false'
    case 'number':
      return typeof value === 'number' ? null : ': must be a number'
    case 'integer':
      return Number.isSafeInteger(value) ? null : ': must be a whole number'
    case 'string':
      return typeof value === 'string' ? null : ': must be a text'
    case 'select':
      return refusalOfChoice(options ?? [], multiple, custom, value)
  }
}

const refusalOfChoice = (
  options: readonly DialogOption[],
  multiple: boolean,
  custom: boolean,
  value: Value,
): string | null => {
  const chosen = multiple ? value : [value]
  if (!Array.isArray(chosen)) return ': must be a list of options'
  const isOption = (one: unknown): boolean =>
    typeof one === 'string' && (custom || options.some((option) => option.value === one))
  return chosen.every(isOption) ? null : ': must be one of the options'
}
