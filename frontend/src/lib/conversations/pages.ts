import type { Conversation } from '@slipway/protocol'
import { whoseIn } from '@/lib/tasks/list/filters.ts'

/** Which conversations a list shows; a missing field does not filter. */
export interface ConversationFilters {
  /** `all`, or the id of a user; the reader's own conversations without it. */
  readonly by?: string
  /** Only archived ones. Without it, those that are not archived. */
  readonly archived?: 'true'
}

/** The loaded part of a list, the newest first. */
export interface LoadedConversations {
  readonly items: readonly Conversation[]
  /** Where the next page begins; null after the last one. */
  readonly cursor: string | null
}

/** A page of a list as the server answers it. */
export interface ConversationPage {
  readonly items: readonly Conversation[]
  readonly nextCursor: string | null
}

/** The filters in the query of the page's address. Values that the server would refuse are left out. */
export function conversationFiltersIn(query: Readonly<Record<string, unknown>>): ConversationFilters {
  const by = whoseIn(query['by'])
  return { ...(by !== undefined && { by }), ...(query['archived'] === 'true' && { archived: 'true' }) }
}

/** By their last activity, and in the order of the server where that is equal. */
const newestFirst = (a: Conversation, b: Conversation): number =>
  b.lastActivityAt.localeCompare(a.lastActivityAt) || b.id.localeCompare(a.id)

/** Whether a conversation is in the list. `userId` is the reader. */
export const isListed = (
  { by, archived }: ConversationFilters,
  conversation: Pick<Conversation, 'state' | 'userId'>,
  userId: string | undefined,
): boolean =>
  (conversation.state === 'archived') === (archived === 'true') &&
  (by === 'all' || conversation.userId === (by ?? userId))

/**
 * A list after its first page was read, perhaps again: what the page reaches down to is as the page says, and older ones
 * that are loaded stay.
 */
export function withFirst(
  known: LoadedConversations | null,
  { items, nextCursor }: ConversationPage,
): LoadedConversations {
  const last = items.at(-1)
  if (known === null || nextCursor === null || last === undefined) return { items: unique(items), cursor: nextCursor }
  const older = known.items.filter((one) => newestFirst(last, one) < 0)
  return { items: unique([...items, ...older]), cursor: older.length > 0 ? known.cursor : nextCursor }
}

/** A list with the next page. One that is loaded already is newer than the page. */
export const withNext = (known: LoadedConversations, { items, nextCursor }: ConversationPage): LoadedConversations => ({
  items: unique([...known.items, ...items]),
  cursor: nextCursor,
})

/** A list after a change of a conversation. Null: it is deleted, or no longer in the list. */
export const withChange = (
  known: LoadedConversations,
  id: string,
  conversation: Conversation | null,
): LoadedConversations => {
  const others = known.items.filter((one) => one.id !== id)
  return { ...known, items: conversation === null ? others : unique([conversation, ...others]) }
}

/** Each one once, the first of its twins, and sorted. */
const unique = (items: readonly Conversation[]): Conversation[] =>
  [...new Map(items.toReversed().map((one) => [one.id, one])).values()].toSorted(newestFirst)
