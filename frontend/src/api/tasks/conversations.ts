import type {
  Conversation,
  ConversationMessage,
  Conversations,
  ConversationTurns,
  CreateConversation,
  SendMessage,
  UpdateConversation,
  UpdateQueuedMessage,
} from '@slipway/protocol'
import type { ConversationFilters } from '@/lib/conversations/pages.ts'
import { http } from '../transport/client.ts'
import { listAll } from '../transport/pages.ts'

const BASE = '/conversations'
const pathOf = (id: string): string => `${BASE}/${encodeURIComponent(id)}`
const queuedPathOf = (id: string, messageId: string): string => `${pathOf(id)}/queue/${encodeURIComponent(messageId)}`

/** The user's own ones that are not archived, by their last activity. */
export const listConversations = () => listAll<Conversation>(BASE)
/** A page of those that match, by their last activity. Null: the first one. */
export function readConversations({ by, archived }: ConversationFilters, cursor: string | null) {
  const query = new URLSearchParams({
    ...(by !== undefined && { by }),
    ...(archived === 'true' && { state: 'archived' }),
    ...(cursor !== null && { cursor }),
  })
  return http.request<Conversations>('GET', `${BASE}?${query}`)
}
export const readConversation = (id: string) => http.request<Conversation>('GET', pathOf(id))
/** Begins one with its first message. A retry with the same key begins no second one. */
export const createConversation = (body: CreateConversation, key: string) =>
  http.request<Conversation>('POST', BASE, body, { key })
export const updateConversation = (id: string, body: UpdateConversation) =>
  http.request<Conversation>('PATCH', pathOf(id), body, 'harmless')
/** A new conversation whose CLI knows this one so far. A retry with the same key makes no second one. */
export const forkConversation = (id: string, key: string) =>
  http.request<Conversation>('POST', `${pathOf(id)}/fork`, {}, { key })
/** Ends the turn of this task, if it still runs. Messages that wait stay. */
export const interruptConversation = (id: string, runId: string) =>
  http.request<Conversation>('POST', `${pathOf(id)}/interrupt`, { runId })

/** The last turns, or the last ones before a number. */
export const listTurns = (id: string, before: number | null) =>
  http.request<ConversationTurns>('GET', `${pathOf(id)}/messages${before === null ? '' : `?before=${before}`}`)
/** A retry with the same key sends the message once. */
export const sendMessage = (id: string, body: SendMessage, key: string) =>
  http.request<ConversationMessage>('POST', `${pathOf(id)}/messages`, body, { key })

/** The messages that wait, the next one first. */
export const listQueue = (id: string) => http.request<ConversationMessage[]>('GET', `${pathOf(id)}/queue`)
/** Answers with the queue. */
export const updateQueued = (id: string, messageId: string, body: UpdateQueuedMessage) =>
  http.request<ConversationMessage[]>('PATCH', queuedPathOf(id, messageId), body, 'harmless')
export const withdrawQueued = (id: string, messageId: string) => http.send('DELETE', queuedPathOf(id, messageId))
