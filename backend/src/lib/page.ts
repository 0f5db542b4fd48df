/** Pages of a list, cut by key and not by number, so that rows that come and go do not shift the next page. */
import { AppError } from './errors.ts'

/** One page as it goes over the wire. */
export interface PageOf<T> {
  readonly items: T[]
  /** What to ask the next page with; null on the last one. */
  readonly nextCursor: string | null
}

/** Where in a list a page begins. `after` is the key of the last item before it, null for the first page. */
export interface PageStart {
  readonly limit: number
  readonly after: string | null
}

/**
 * Makes a page from the rows of a query that asked for one more than `limit`: the extra one only says that there is
 * more. `keyOf` is the key that the list is sorted by.
 */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  keyOf: (row: Row) => string,
  present: (row: Row) => Item,
): PageOf<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const more = rows.length > limit && last !== undefined
  return { items: shown.map(present), nextCursor: more ? encodeCursor(keyOf(last)) : null }
}

/** Reads a list's query. A cursor that we did not write, or whose key `accepts` refuses, is a `VALIDATION` error. */
export function pageStart(
  query: { readonly limit?: number; readonly cursor?: string },
  defaultLimit: number,
  accepts: (key: string) => boolean = () => true,
): PageStart {
  const limit = query.limit ?? defaultLimit
  if (query.cursor === undefined) return { limit, after: null }
  const after = Buffer.from(query.cursor, 'base64url').toString()
  if (encodeCursor(after) !== query.cursor || after.includes('\0') || !accepts(after)) {
    throw new AppError('VALIDATION', 'cursor: must be the nextCursor of an earlier page')
  }
  return { limit, after }
}

function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url')
}
