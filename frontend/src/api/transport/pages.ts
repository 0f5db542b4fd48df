import { PAGE_LIMIT_MAX } from '@slipway/protocol'
import { http } from './client.ts'

/** One page of a list. */
export interface ListPage<T> {
  items: T[]
  nextCursor: string | null
}

/**
 * Most pages to read of one list. With {@link PAGE_LIMIT_MAX} items each, this is more than a user can look through.
 */
const PAGES_MAX = 20

/** Reads all pages of a list, with further parameters of the request. */
export async function listAll<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T[]> {
  const items: T[] = []
  let cursor: string | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = new URLSearchParams({ ...parameters, limit: String(PAGE_LIMIT_MAX) })
    if (cursor !== null) query.set('cursor', cursor)
    const answer: ListPage<T> = await http.request('GET', `${path}?${query}`)
    items.push(...answer.items)
    cursor = answer.nextCursor
    if (cursor === null) break
  }
  return items
}
