/** Pages of a list, cut by key and not by number, so that new and deleted rows do not shift the next page. */
import { AppError } from './errors.ts'

/** One page of a list, as the API answers it. */
export interface PageOf<T> {
  readonly items: T[]
  /** The cursor of the next page; null on the last one. */
  readonly nextCursor: string | null
}

/** Where a page begins. `after` is the key of the last item before it, null for the first page. */
export interface PageStart {
  readonly limit: number
  readonly after: string | null
}

/**
 * Makes a page from the rows of a query for one more than `limit`: the extra row only shows that there is a next page.
 * `keyOf` gives the key by which the list is sorted.
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

/** Reads a list's query. Throws `VALIDATION` for a cursor that we did not write, or whose key `accepts` refuses. */
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
