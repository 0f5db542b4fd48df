/**
 * The prompt of a call: a template of the hook's user, with fields of the payload in it. The payload is a stranger's text. It
 * never becomes a part of the template, and never begins the prompt, where a CLI would read a command. Pure.
 */
import { fieldProblem, RUN_PROMPT_MAX, TEMPLATE_VALUE_MAX, withFields } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'

/** Control characters, which a terminal or a CLI may obey. Tabs and line breaks are text. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Throws `VALIDATION` for a template that is not valid. */
export const checkTemplate = (template: string): void => {
  const problem = fieldProblem(template)
  if (problem !== null) throw wrong(problem)
  if (!/^[\p{L}\p{N}]/u.test(template.trimStart()))
    throw wrong('must begin with a letter or a digit, because coding CLIs read other beginnings as commands')
}

/**
 * The prompt. A field that is missing is empty, and a long one is cut. Throws `VALIDATION` for a payload that is too deep, and
 * if the prompt is longer than that of any task may be.
 */
export const filled = (template: string, payload: unknown): string => {
  const prompt = withFields(template, (path) => textOf(valueAt(payload, path.split('.'))))
  if (prompt.length > RUN_PROMPT_MAX)
    throw new AppError(
      'VALIDATION',
      `With this payload the prompt has more than ${RUN_PROMPT_MAX} characters. Name fewer fields in the template.`,
    )
  return prompt
}

const valueAt = (payload: unknown, path: readonly string[]): unknown => {
  let value = payload
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

const textOf = (value: unknown): string => {
  if (value === undefined || value === null) return ''
  const text = typeof value === 'string' ? value : jsonOf(value)
  const plain = text.slice(0, TEMPLATE_VALUE_MAX).replaceAll('\r\n', '\n').replaceAll(CONTROL, '').toWellFormed()
  return text.length > TEMPLATE_VALUE_MAX ? `${plain}…` : plain
}

/** The engine reads any depth, but writes only what fits on its stack. */
const jsonOf = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new AppError('VALIDATION', 'The payload is nested too deeply.', { cause })
  }
}

const wrong = (what: string): AppError => new AppError('VALIDATION', `body.prompt: ${what}`)
