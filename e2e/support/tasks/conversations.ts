/** Conversations of a user, over the API. */
import type { Conversation, ConversationMessage, CreateConversation, ConversationTurns } from '@slipway/protocol'
import { until } from '@slipway/testing'
import type { Client } from '../api.ts'
import { ASKED_MS } from './follow.ts'

export const begin = (client: Client, body: CreateConversation) =>
  client.ok<Conversation>('POST', '/conversations', body)

export const conversationOf = (client: Client, id: string): Promise<Conversation> =>
  client.ok<Conversation>('GET', `/conversations/${id}`)

export const send = (client: Client, id: string, text: string, more: object = {}): Promise<ConversationMessage> =>
  client.ok<ConversationMessage>('POST', `/conversations/${id}/messages`, { text, ...more })

/** What was said, with what came of it. */
export const pastOf = async (client: Client, id: string) =>
  (await client.ok<ConversationTurns>('GET', `/conversations/${id}/messages`)).items.map(({ message, run }) => ({
    ...{ text: message.text, state: message.state, reason: run?.reason ?? null, result: run?.result ?? null },
  }))

/** The conversation when this is true of it. */
const when = (client: Client, id: string, what: string, isSo: (conversation: Conversation) => boolean) => {
  let last: Conversation | null = null
  return until(
    what,
    async () => {
      last = await conversationOf(client, id)
      return isSo(last) && last
    },
    ASKED_MS,
  ).catch((error: unknown) => {
    throw new Error(`the conversation is ${JSON.stringify(last)}`, { cause: error })
  })
}

/** The conversation when it has so many turns and nothing to do. */
export const idle = (client: Client, id: string, turns: number): Promise<Conversation> =>
  when(client, id, `${turns} turns`, (one) => one.turns === turns && one.queued === 0 && one.activity === 'idle')

/** The conversation when its last turn has failed. */
export const errored = (client: Client, id: string): Promise<Conversation> =>
  when(client, id, 'the failure', ({ state }) => state === 'errored')
