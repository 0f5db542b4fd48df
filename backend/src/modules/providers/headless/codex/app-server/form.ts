/** The forms that Codex shows to people: its own questions, and those of MCP servers. */
import {
  DIALOG_FIELDS_MAX,
  DIALOG_OPTIONS_MAX,
  DIALOG_TEXT_MAX,
  type DialogField,
  type DialogOption,
} from '@slipway/protocol'
import { bounded, type Fields, fieldsIn, listIn, textIn } from '../../parts/json.ts'

/** Longest name of a field, and longest label and value of an option, in UTF-16 code units. */
const NAME_MAX = 200
const LABEL_MAX = 1000

const TYPES: ReadonlyMap<unknown, DialogField['type']> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'integer'],
  ['boolean', 'boolean'],
])

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const described = (value: unknown): string | null => {
  const text = textIn(value)
  return text === null ? null : bounded(text, DIALOG_TEXT_MAX)
}

/** Null if one of them could not be answered: the values are exact. */
const optionsOf = (values: readonly { value: string; label: string; description: unknown }[]): DialogOption[] | null =>
  values.length > 0 && values.length <= DIALOG_OPTIONS_MAX && values.every(({ value }) => value.length <= LABEL_MAX)
    ? values.map(({ value, label, description }) => ({
        ...{ value, label: bounded(label, LABEL_MAX), description: described(description) },
      }))
    : null

const NO_OPTIONS = { options: null, multiple: false, custom: false } as const

/** The questions of Codex. An answer that must stay secret is not asked for, because the answers are stored. */
export const fieldsOfQuestions = (questions: unknown): DialogField[] =>
  listIn(questions)
    .slice(0, DIALOG_FIELDS_MAX)
    .flatMap((question): DialogField[] => {
      const name = textIn(question.id) ?? ''
      if (name === '' || name.length > NAME_MAX || question.isSecret === true) return []
      const labels = listIn(question.options).map(({ label, description }) => {
        const text = textIn(label) ?? ''
        return { value: text, label: text, description }
      })
      const options = optionsOf(labels)
      const field = {
        name,
        label: bounded(textIn(question.header) ?? '', LABEL_MAX),
        description: described(question.question),
        required: true,
      }
      if (options === null) return [{ ...field, ...NO_OPTIONS, type: 'string' }]
      return [{ ...field, type: 'select', options, multiple: false, custom: question.isOther === true }]
    })

/** The fields of an MCP server's form. Null: it has some that people could not fill in. */
export const fieldsOfSchema = (schema: Fields): DialogField[] | null => {
  const required = new Set(textsIn(schema.required))
  const properties = Object.entries(fieldsIn(schema.properties))
  if (properties.length > DIALOG_FIELDS_MAX) return null
  const fields = properties.map(([name, property]) => fieldOf(name, fieldsIn(property), required.has(name)))
  return fields.every((field) => field !== null) ? fields : null
}

const fieldOf = (name: string, property: Fields, required: boolean): DialogField | null => {
  if (name === '' || name.length > NAME_MAX) return null
  const label = bounded(textIn(property.title) ?? name, LABEL_MAX)
  const field = { name, label, description: described(property.description), required }
  const multiple = property.type === 'array'
  const choices = choicesOf(multiple ? fieldsIn(property.items) : property)
  if (choices) {
    const options = optionsOf(choices)
    return options && { ...field, type: 'select', options, multiple, custom: false }
  }
  const type = TYPES.get(property.type)
  return type === undefined ? null : { ...field, ...NO_OPTIONS, type }
}

/** The values of an enumeration, in one of the forms of MCP; null for anything else. */
const choicesOf = (property: Fields) => {
  const titled = listIn(property.oneOf ?? property.anyOf)
  if (titled.length > 0)
    return titled.map((one) => {
      const value = textIn(one.const) ?? ''
      return { value, label: textIn(one.title) ?? value, description: one.description }
    })
  if (!Array.isArray(property.enum)) return null
  const names = textsIn(property.enumNames)
  return textsIn(property.enum).map((value, at) => ({ value, label: names[at] ?? value, description: null }))
}
