import { fieldProblem, TEMPLATE_MAX, withFields, type CreatePromptTemplate } from '@slipway/protocol'

/** The values of a template's fields, as far as the user has filled them in. */
export type FieldValues = Readonly<Partial<Record<string, string>>>

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
