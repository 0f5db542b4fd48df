/**
 * A prompt with fields: `{{issue.title}}` stands for a text that is known later. A text never becomes a part of the
 * prompt's own fields. Pure: the page fills a prompt by the same rules as the server.
 */

/** Longest prompt with fields, in UTF-16 code units. */
export const TEMPLATE_MAX = 65_536
/** Most fields that a prompt names. */
export const TEMPLATE_FIELDS_MAX = 50

/** Names with dots between them. */
const FIELD = /\{\{\s*([A-Za-z0-9_$-]+(?:\.[A-Za-z0-9_$-]+)*)\s*\}\}/g
const OPEN = '{{'

/** The names of the fields in their order, each once. */
export const fieldsIn = (template: string): string[] => [
  ...new Set([...template.matchAll(FIELD)].map(([, name]) => name ?? '')),
]

/** The prompt with these texts. Each field is asked for once. */
export const withFields = (template: string, textOf: (name: string) => string): string => {
  const texts = new Map<string, string>()
  // A function, because a text may have a `$&`.
  return template.replaceAll(FIELD, (_field, name: string) => {
    const text = texts.get(name) ?? textOf(name)
    texts.set(name, text)
    return text
  })
}

/** What is wrong with the fields, as the end of a sentence about the prompt; null if they are valid. */
export const fieldProblem = (template: string): string | null => {
  if ([...template.matchAll(FIELD)].length > TEMPLATE_FIELDS_MAX)
    return `must not name more than ${TEMPLATE_FIELDS_MAX} fields`
  if (template.replaceAll(FIELD, '').includes(OPEN)) return 'has {{ without the name of a field such as {{issue.title}}'
  return null
}
