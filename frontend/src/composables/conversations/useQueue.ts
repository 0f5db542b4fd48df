import type { ConversationMessage } from '@slipway/protocol'
import { reactive, watch } from 'vue'
import { updateQueued, withdrawQueued } from '@/api/tasks/conversations.ts'
import { useBusyRows } from '@/composables/requests/useBusyRows.ts'
import { putNewest } from '@/lib/newest.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

interface Surroundings {
  readonly conversationId: string
  /** The messages that wait. */
  readonly messages: () => readonly ConversationMessage[]
  readonly refresh: () => Promise<void>
  /** A message has left the queue while the user was changing its text to this one. */
  readonly overtaken: (id: string, text: string) => void
}

/** The text of a message while the user changes it. */
interface Draft {
  text: string
  /** The text that the server has, as the user knows it. */
  was: string
}

/** Most conversations whose drafts are kept. Those of the one that was shown first are dropped. */
const CONVERSATIONS_MAX = 20
/** The drafts that the user has left, by user and conversation: the user may look elsewhere meanwhile. */
const ofConversations = new Map<string, Map<string, Draft>>()

function draftsOf(key: string): Map<string, Draft> {
  const drafts = ofConversations.get(key) ?? reactive(new Map<string, Draft>())
  putNewest(ofConversations, key, drafts, CONVERSATIONS_MAX)
  return drafts
}

/** What a user can do with the messages that wait. Each act reads the queue again, because a turn may have taken one. */
export function useQueue({ conversationId, messages, refresh, overtaken }: Surroundings) {
  const { busy, act } = useBusyRows()
  /** By the ids of their messages. They outlive the rows, because a message may leave the queue at any time. */
  const drafts = draftsOf(`${useAuthStore().user?.id ?? ''} ${conversationId}`)

  async function change({ id }: ConversationMessage, failure: string, work: () => Promise<unknown>): Promise<boolean> {
    const isDone = await act({ id }, failure, work)
    await refresh()
    look()
    return isDone
  }

  /** Hands over the drafts of messages that wait no more. One that is being saved may be the text of the turn itself. */
  function look(): void {
    const waiting = new Map(messages().map(({ id, text }) => [id, text]))
    for (const [id, draft] of drafts) {
      const stored = waiting.get(id)
      // Also a text whose answer was lost.
      if (stored !== undefined) draft.was = stored
      if (stored !== undefined || busy.value.has(id)) continue
      drafts.delete(id)
      if (draft.text !== draft.was && draft.text.trim() !== '') overtaken(id, draft.text)
    }
  }
  watch(messages, look)

  /** Null: the user does not change its text, or not any more. */
  function write({ id, text: was }: ConversationMessage, text: string | null): void {
    const draft = drafts.get(id)
    if (text === null) drafts.delete(id)
    else if (draft === undefined) drafts.set(id, { text, was })
    else draft.text = text
  }

  async function save(message: ConversationMessage): Promise<void> {
    const draft = drafts.get(message.id)
    if (draft === undefined || draft.text.trim() === '' || busy.value.has(message.id)) return
    const { text } = draft
    if (text === message.text) return void drafts.delete(message.id)
    await change(message, 'Could not change the message', async () => {
      await updateQueued(conversationId, message.id, { text })
      draft.was = text
      // What was typed meanwhile is not saved yet.
      if (draft.text === text) drafts.delete(message.id)
    })
  }

  return {
    busy,
    draftOf: ({ id }: ConversationMessage): string | null => drafts.get(id)?.text ?? null,
    write,
    save,
    move: (message: ConversationMessage, position: number) =>
      change(message, 'Could not move the message', () => updateQueued(conversationId, message.id, { position })),
    withdraw: (message: ConversationMessage) =>
      change(message, 'Could not withdraw the message', () => withdrawQueued(conversationId, message.id)),
  }
}
