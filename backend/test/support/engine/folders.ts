/** An agent whose folders the tests list and change, over real connections. */
import type { ListLine, TreeEntry } from '@slipway/protocol'
import { expect } from 'vitest'
import { type Transfers, useTransfers } from './transfers.ts'

/** What a test of folders needs. The owner makes each request. */
export interface Folders extends Transfers {
  /** A request to `/files` and `what`. The query is sent as it is. */
  ask(method: string, what: string, query: string, body?: object): Promise<Response>
  /** What the tree has in a folder. */
  entries(path: string): Promise<TreeEntry[]>
}

/** The lines of a listing that succeeded. */
export const linesOf = async (response: Response): Promise<ListLine[]> => {
  const text = await response.text()
  expect(response.status, text).toBe(200)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as ListLine)
}

/** What the lines of one type have, in one list. */
export const itemsOf = <K extends 'entries' | 'names' | 'hits'>(lines: readonly ListLine[], type: K) =>
  lines.flatMap((line) =>
    line.type === type ? ((line as { items: readonly unknown[] }).items as readonly never[]) : [],
  ) as Extract<ListLine, { type: K }>['items'][number][]

/** Call it at the top of a test file, instead of {@link useTransfers}. */
export const useFolders = (): Folders => {
  const transfers = useTransfers()
  const { baseUrl, team } = transfers
  const ask: Folders['ask'] = (method, what, query, body) =>
    fetch(`${baseUrl()}/api/agents/files/files${what}?${query}`, {
      method,
      headers: {
        authorization: `Bearer ${team().owner.token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  return {
    ...transfers,
    ask,
    entries: async (path) => itemsOf(await linesOf(await ask('GET', '/tree', `path=${path}`)), 'entries'),
  }
}
