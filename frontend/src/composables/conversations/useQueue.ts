import type { ConversationMessage } from '@slipway/protocol'
import { updateQueued, withdrawQueued } from '@/api/tasks/conversations.ts'
import { useBusyRows } from '@/composables/requests/useBusyRows.ts'

/** What a user can do with the messages that wait. Each act reads the queue again, because a turn may have taken one. */
export function useQueue(conversationId: string, refresh: () => Promise<void>) {
  const { busy, act } = useBusyRows()

  async function change(message: ConversationMessage, failure: string, work: () => Promise<unknown>): Promise<boolean> {
    const isDone = await act(message, failure, work)
    await refresh()
    return isDone
  }

  return {
    busy,
    edit: (message: ConversationMessage, text: string) =>
      change(message, 'Could not change the message', () => updateQueued(conversationId, message.id, { text })),
    move: (message: ConversationMessage, position: number) =>
      change(message, 'Could not move the message', () => updateQueued(conversationId, message.id, { position })),
    withdraw: (message: ConversationMessage) =>
      change(message, 'Could not withdraw the message', () => withdrawQueued(conversationId, message.id)),
  }
}
