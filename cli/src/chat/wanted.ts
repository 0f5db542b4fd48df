/** Which conversation a command is about. */
import type { Conversation, ConversationMessage, CreateConversation } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { beginConversation, sendMessage } from '../api/conversations.ts'

export interface Wanted {
  /** The conversation to go on with; null for a new one. */
  readonly id: string | null
  /** What a new one is like. */
  readonly fields: Omit<CreateConversation, 'prompt'>
}

export type Said =
  | { readonly kind: 'begun'; readonly conversation: Conversation }
  | { readonly kind: 'sent'; readonly message: ConversationMessage }

/** Says something in it: the first message begins it, and any other one waits for its turn. */
export const say = async (client: Client, { id, fields }: Wanted, text: string, signal: AbortSignal): Promise<Said> =>
  id === null
    ? { kind: 'begun', conversation: await beginConversation(client, { ...fields, prompt: text }, signal) }
    : { kind: 'sent', message: await sendMessage(client, id, { text, how: 'queue' }, signal) }

/** How to go on later. */
export const goesOnWith = (id: string): string => `"slipway chat --continue ${id}" goes on with the conversation.`
