/**
 * The prompt of a call: a template of the hook's user, with fields of the payload in it. The payload is a stranger's text. It
 * never becomes a part of the template, and never begins the prompt, where a CLI would read a command. Pure.
 */
import { TEMPLATE_FIELDS_MAX, TEMPLATE_VALUE_MAX } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'

/** A field of the payload: names of members and numbers of items, with dots between them. */
const FIELD = /\{\{\s*([A-Za-z0-9_$-]+(?:\.[A-Za-z0-9_$-]+)*)\s*\}\}/g
const OPEN = '{{'
/** Control characters, which a terminal or a CLI may obey. Tabs and line breaks are text. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g

/** Throws `VALIDATION` for a template that is not valid. */
export const checkTemplate = (template: string): void => {
  const fields = [...template.matchAll(FIELD)]
  if (fields.length > TEMPLATE_FIELDS_MAX) throw wrong(`must not name more than ${TEMPLATE_FIELDS_MAX} fields`)
  if (template.replaceAll(FIELD, '').includes(OPEN))
    throw wrong('has {{ without the name of a field such as {{issue.title}}')
  if (!/^[\p{L}\p{N}]/u.test(template.trimStart()))
    throw wrong('must begin with a letter or a digit, because coding CLIs read other beginnings as commands')
}

/** The prompt. A field that is missing is empty, and a long one is cut. Throws `VALIDATION` for a payload that is too deep. */
export const filled = (template: string, payload: unknown): string => {
  // A large value may be named often.
  const texts = new Map<string, string>()
  // A function, because a text would have its own `$&`.
  return template.replaceAll(FIELD, (_field, path: string) => {
    const text = texts.get(path) ?? textOf(valueAt(payload, path.split('.')))
    texts.set(path, text)
    return text
  })
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
