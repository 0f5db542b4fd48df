import type { CreateConversation } from '@slipway/protocol'
import { bodyOf, type TaskDraft } from '@/lib/tasks/new/draft.ts'

/** The request of a conversation. Its turns have the fields of a task that works on its own and has its place. */
export function bodyOfConversation(agent: string, draft: TaskDraft, title: string): CreateConversation {
  const body = bodyOf(agent, { ...draft, mode: 'auto', queue: false })
  return { ...body, prompt: draft.prompt, ...(title.trim() !== '' && { title: title.trim() }) }
}
