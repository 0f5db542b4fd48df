import type { Conversation } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { ref } from 'vue'
import { useRouter } from 'vue-router'
import { forkConversation, interruptConversation, updateConversation } from '@/api/tasks/conversations.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { useNamedRequest } from '@/composables/requests/useNamedRequest.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'

/** What a user can do with a conversation, besides writing in it. */
export function useConversationActions(conversation: () => Conversation) {
  const store = useConversationsStore()
  const router = useRouter()
  const toast = useToast()
  const attempt = useAttempt()
  const forkNamed = useNamedRequest(forkConversation)
  const isBusy = ref(false)

  async function act(failure: string, work: () => Promise<void>): Promise<boolean> {
    if (isBusy.value) return false
    isBusy.value = true
    const isDone = await attempt(failure, work)
    isBusy.value = false
    return isDone
  }

  const rename = (title: string): Promise<boolean> =>
    act('Could not rename the conversation', async () =>
      store.put(await updateConversation(conversation().id, { title })),
    )

  /** Moves the conversation into the archive, or out of it. The notice can take the first back. */
  async function archive(archived: boolean): Promise<void> {
    const { id, title } = conversation()
    const failure = archived
      ? 'Could not archive the conversation'
      : 'Could not take the conversation out of the archive'
    const isDone = await act(failure, async () => store.put(await updateConversation(id, { archived })))
    if (!isDone) return
    const restore = (): Promise<boolean> =>
      attempt('Could not take the conversation out of the archive', async () =>
        store.put(await updateConversation(id, { archived: false })),
      )
    const undo = { label: 'Undo', color: 'neutral', variant: 'outline', onClick: () => void restore() } as const
    toast.add({
      title: archived ? 'Archived' : 'Taken out of the archive',
      description: title,
      icon: archived ? 'i-lucide-archive' : 'i-lucide-archive-restore',
      color: 'neutral',
      ...(archived && { actions: [undo] }),
    })
  }

  /** Makes a conversation that continues separately from here, and leads to it. */
  async function fork(): Promise<void> {
    await act('Could not fork the conversation', async () => {
      const made = await forkNamed(conversation().id)
      store.put(made)
      await router.push(`/conversations/${made.id}`)
    })
  }

  /** Ends the turn of a task, and never the one that begins after it. Messages that wait stay. */
  const interrupt = (runId: string): Promise<boolean> =>
    attempt('Could not interrupt the turn', () => interruptConversation(conversation().id, runId))

  return { isBusy, rename, archive, fork, interrupt }
}
