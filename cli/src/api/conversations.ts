/** Conversations over the API. */
import type {
  Conversation,
  ConversationMessage,
  ConversationTurn,
  ConversationTurns,
  CreateConversation,
  MessageHow,
} from '@slipway/protocol'
import type { Client } from './client.ts'
import { sentOnce } from './runs.ts'

const CONVERSATIONS = '/conversations'

const pathOf = (id: string, part = ''): string => `${CONVERSATIONS}/${encodeURIComponent(id)}${part}`

/** Begins one, once. */
export const beginConversation = (client: Client, body: CreateConversation, signal: AbortSignal) =>
  sentOnce<Conversation>(client, CONVERSATIONS, body, signal)

export const conversationOf = (client: Client, id: string, signal: AbortSignal): Promise<Conversation> =>
  client.json<Conversation>('GET', pathOf(id), { signal })

/** The last turns, in their order. */
export const lastTurns = async (
  client: Client,
  id: string,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly ConversationTurn[]> =>
  (await client.json<ConversationTurns>('GET', pathOf(id, '/messages'), { query: { limit }, signal })).items

/** The messages that wait, in their order. */
export const queueOf = (client: Client, id: string, signal: AbortSignal): Promise<ConversationMessage[]> =>
  client.json<ConversationMessage[]>('GET', pathOf(id, '/queue'), { signal })

/** Sends a message, once. */
export const sendMessage = (
  client: Client,
  id: string,
  body: { readonly text: string; readonly how: MessageHow },
  signal: AbortSignal,
) => sentOnce<ConversationMessage>(client, pathOf(id, '/messages'), body, signal)

/** Ends the turn of this task, if it still runs; null: the turn that runs. */
export const interruptTurn = (client: Client, id: string, runId: string | null, signal: AbortSignal) =>
  client.json<Conversation>('POST', pathOf(id, '/interrupt'), { body: runId === null ? {} : { runId }, signal })
