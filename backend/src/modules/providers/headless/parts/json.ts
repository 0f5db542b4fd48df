/** Reads fields of foreign JSON, which may have any type. */
import { EVENT_TEXT_MAX } from '@slipway/protocol'

/** A JSON object whose fields are not known. */
export type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The object of a line; null for anything else. */
export const objectOf = (line: string): Fields | null => {
  if (!line.startsWith('{')) return null
  try {
    const value: unknown = JSON.parse(line)
    return isFields(value) ? value : null
  } catch {
    return null
  }
}

/** The object in a field; empty if there is none. */
export const fieldsIn = (value: unknown): Fields => (isFields(value) ? value : {})
/** The objects in an array; empty if there is none. */
export const listIn = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.filter(isFields) : [])
/** A text; null for anything else. */
export const textIn = (value: unknown): string | null => (typeof value === 'string' ? value : null)
/** A finite number; null for anything else. */
export const numberIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null
/** An integer; null for anything else. */
export const integerIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : null
/** A count: an integer that is not negative; null for anything else. */
export const countIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null

/** Cuts a text to a length, by default that of an event's field, and not between two halves of a character. */
export const bounded = (text: string, max = EVENT_TEXT_MAX): string => {
  if (text.length <= max) return text
  const end = max - 1
  const isHigh = /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
  return `${text.slice(0, isHigh ? end - 1 : end)}…`
}

/** Deepest JSON value of an event. What walks through a deeper one, such as `JSON.stringify`, may overflow its stack. */
const DEPTH_MAX = 100
const TOO_DEEP = '(a value that is nested too deeply)'

const isShallow = (value: unknown, depth = DEPTH_MAX): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)))

/** A JSON value for an event. One that is too large is replaced by its beginning as text. */
export const boundedJson = (value: unknown): unknown => {
  if (value === undefined) return null
  if (!isShallow(value)) return TOO_DEEP
  const text = JSON.stringify(value)
  return text.length <= EVENT_TEXT_MAX ? value : bounded(text)
}
