/** Makes input of users and programs fit for a row: bounded, and without characters that a database refuses. */

/** Longest text in a row, in characters: twice the longest e-mail address. */
const MAX_TEXT = 500
/** Most entries of one list or object, and greatest depth of nesting. */
const MAX_ENTRIES = 50
const MAX_DEPTH = 4

/** PostgreSQL stores neither NUL nor half of a surrogate pair. In an e-mail address either would refuse the row. */
export function cleanText(text: string): string {
  return text.slice(0, MAX_TEXT).replaceAll('\0', '\ufffd').toWellFormed()
}

/** The same value as JSON that the database accepts. Values that are nested too deep are left out. */
export function cleanDetail(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return cleanText(value)
  if (value instanceof Date) return value.toISOString()
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth >= MAX_DEPTH) return null
  if (Array.isArray(value)) return value.slice(0, MAX_ENTRIES).map((item) => cleanDetail(item, depth + 1))
  const entries = Object.entries(value).slice(0, MAX_ENTRIES)
  return Object.fromEntries(entries.map(([key, item]) => [cleanText(key), cleanDetail(item, depth + 1)]))
}
