import type { CreateConversation } from '@slipway/protocol'
import { bodyOf, type TaskDraft } from '@/lib/tasks/new/draft.ts'

/** A text for the next message of a conversation, from the page of one of its tasks. */
export interface NextMessage {
  readonly conversationId: string
  readonly text: string
  /** The task on whose changes the text has comments, by their ids. They are removed once the message is sent. */
  readonly comments: { readonly taskId: string; readonly ids: readonly string[] }
}

/** The request of a conversation. Its turns have the fields of a task that works on its own and has its place. */
export function bodyOfConversation(agent: string, draft: TaskDraft, title: string): CreateConversation {
  const body = bodyOf(agent, { ...draft, mode: 'auto', queue: false })
  return { ...body, prompt: draft.prompt, ...(title.trim() !== '' && { title: title.trim() }) }
}

/** What stays in the field once `sent` was sent from it: what the user has typed since, which is the next message. */
export function leftAfter(sent: string, text: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text
}
