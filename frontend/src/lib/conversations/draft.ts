import type { CreateConversation } from '@slipway/protocol'
import { bodyOf, type TaskDraft } from '@/lib/tasks/new/draft.ts'
import type { QuotedComments } from './quoted.ts'

/** A text for the next message of a conversation, from the page of one of its tasks. */
export interface NextMessage {
  readonly conversationId: string
  readonly text: string
  /** The comments that the text quotes. They are removed once a message with them is sent. */
  readonly comments: QuotedComments
}

/** The request of a conversation. Its turns have the fields of a task that works on its own and has its place. */
export function bodyOfConversation(agent: string, draft: TaskDraft, title: string): CreateConversation {
  const body = bodyOf(agent, { ...draft, mode: 'auto', queue: false })
  return { ...body, prompt: draft.prompt, ...(title.trim() !== '' && { title: title.trim() }) }
}

/** A field's text with another one behind it. */
export const withBehind = (text: string, added: string): string =>
  text.trim() === '' ? added : `${text.trimEnd()}\n\n${added}`

/** What stays in the field once `sent` was sent from it: what the user has typed since, which is the next message. */
export function leftAfter(sent: string, text: string): string {
  return text.startsWith(sent) ? text.slice(sent.length).trimStart() : text
}
