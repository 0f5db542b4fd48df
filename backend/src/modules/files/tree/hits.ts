/** Reads ripgrep's lines of JSON (`rg --json`). The container's output is not trusted: what has another form is left out. */
import { SEARCH_TEXT_MAX, type SearchHit } from '@slipway/protocol'
import { namedBy } from './tree.ts'

/** How much text stays before the first match of a long line, in UTF-16 code units. */
const BEFORE = 60
/** Most matches of one line that are marked. */
const MARKS_MAX = 20

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Text, or the bytes of what is not UTF-8, in base64. */
const bytesIn = (said: unknown): Buffer | null => {
  if (!isObject(said)) return null
  const { text, bytes } = said
  if (typeof text === 'string') return Buffer.from(text, 'utf8')
  return typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : null
}

const parsed = (record: string): unknown => {
  try {
    return JSON.parse(Buffer.from(record, 'latin1').toString('utf8'))
  } catch {
    return null
  }
}

/** The lines that match. Other records say where files begin and end. */
export const hitsIn = (records: readonly string[]): SearchHit[] =>
  records.flatMap((record) => (record.startsWith('{"type":"match"') ? (hitOf(parsed(record)) ?? []) : []))

const hitOf = (record: unknown): SearchHit | null => {
  if (!isObject(record) || !isObject(record['data'])) return null
  const { path, lines, line_number: line, submatches } = record['data']
  const [name, bytes] = [bytesIn(path), bytesIn(lines)]
  if (name === null || bytes === null || typeof line !== 'number' || !Number.isSafeInteger(line)) return null
  const below = name.toString('latin1').replace(/^\.\//, '')
  if (below === '' || below.startsWith('/') || below.split('/').includes('..')) return null
  return { ...namedBy(below), line, ...shown(bytes, Array.isArray(submatches) ? submatches : []) }
}

/** A part of the line with its matches, since a line may be long. */
const shown = (bytes: Buffer, submatches: readonly unknown[]): Pick<SearchHit, 'text' | 'marks'> => {
  const text = bytes.toString('utf8').replace(/\r?\n$/, '')
  // The offsets are bytes, and those of the answer UTF-16 code units.
  const at = (offset: unknown): number =>
    typeof offset === 'number' ? bytes.subarray(0, offset).toString('utf8').length : 0
  const found = submatches.slice(0, MARKS_MAX).flatMap((match): [number, number][] => {
    if (!isObject(match)) return []
    return [[at(match['start']), at(match['end'])]]
  })
  const from = text.length <= SEARCH_TEXT_MAX ? 0 : Math.max(0, (found[0]?.[0] ?? 0) - BEFORE)
  const part = text.slice(from, from + SEARCH_TEXT_MAX)
  const marks = found
    .map(([start, end]): [number, number] => [Math.max(0, start - from), Math.min(part.length, end - from)])
    .filter(([start, end]) => start < end)
  return { text: part, marks }
}
