/** Finds what a CLI says in JSON whose fields are not known. */
import type { RunHappening } from '@slipway/protocol'
import { bounded, type Fields, fieldsIn, textIn } from '../parts/json.ts'

/** Fields that hold the last answer, the likeliest first. */
const ANSWERS = ['result', 'response'] as const
/** Fields that hold a part of an answer, or all of it. */
const TEXTS = ['text', 'output'] as const
const MESSAGES = ['content', 'message', 'delta'] as const

const firstIn = (object: Fields, names: readonly string[]): string | null => {
  for (const name of names) {
    const text = textIn(object[name])
    if (text !== null && text !== '') return bounded(text)
  }
  return null
}

/** The answer in a document that has one; null for any other document. */
export const answerIn = (document: Fields): string | null => firstIn(document, [...ANSWERS, ...TEXTS])

/** What one object of a stream says. */
export const happeningsOfObject = (object: Fields): RunHappening[] => {
  const answer = firstIn(object, ANSWERS)
  if (answer !== null) return [{ type: 'result', text: answer, isError: object.is_error === true }]
  const isError = object.type === 'error'
  const error = textIn(object.error) ?? textIn(fieldsIn(object.error).message)
  const message = error ?? (isError ? firstIn(object, [...MESSAGES, ...TEXTS]) : null)
  if (message !== null) return [{ type: 'error', message: bounded(message), status: null }]
  const text = firstIn(object, [...TEXTS, ...MESSAGES]) ?? firstIn(fieldsIn(object.message), [...TEXTS, ...MESSAGES])
  return text === null ? [] : [{ type: 'text', text }]
}
