import {
  fieldProblem,
  TEMPLATE_MAX,
  withFields,
  type CreatePromptTemplate,
  type PromptTemplate,
} from '@slipway/protocol'
import { isRecord } from '@/lib/isRecord.ts'

/** The values of a template's fields, as far as the user has filled them in. */
export type FieldValues = Readonly<Partial<Record<string, string>>>

/** A template that a prompt was begun with, as it was then. */
export interface ChosenTemplate extends Readonly<Pick<PromptTemplate, 'id' | 'name' | 'prompt'>> {
  readonly values: FieldValues
  /** The user's own prompt that it has replaced, which they may want back. */
  readonly before: string
}

/** A chosen template as this browser has stored it. Null: it is none, or one of another version of this page. */
export function chosenTemplate(stored: unknown): ChosenTemplate | null {
  if (!isRecord(stored) || !isRecord(stored['values'])) return null
  const { id, name, prompt, values, before } = stored
  if (typeof id !== 'string' || typeof name !== 'string' || typeof prompt !== 'string' || typeof before !== 'string')
    return null
  const texts = Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
  return { id, name, prompt, values: Object.fromEntries(texts), before }
}

/** The prompt of a template. A field without a value stays as it is, so that the user sees what is missing. */
export const promptWith = (template: string, values: FieldValues): string =>
  withFields(template, (name) => values[name] || `{{${name}}}`)

export type TemplateProblems = Partial<Record<keyof CreatePromptTemplate, string>>

/** What is wrong with a template, as far as this page knows. The server checks all of it. */
export function templateProblemsOf({ name, prompt }: CreatePromptTemplate): TemplateProblems {
  const wrong = fieldProblem(prompt)
  const problem =
    prompt.trim() === ''
      ? 'Write the prompt.'
      : prompt.length > TEMPLATE_MAX
        ? `A template has ${TEMPLATE_MAX.toLocaleString('en')} characters at most.`
        : wrong === null
          ? null
          : `The prompt ${wrong}.`
  return { ...(name.trim() === '' && { name: 'Enter a name.' }), ...(problem !== null && { prompt: problem }) }
}
