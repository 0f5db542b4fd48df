import type { Conversation, PlatformEvent } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import * as api from '@/api/tasks/conversations.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { useAuthStore } from '../identity/auth.ts'

/** Called when a conversation has changed; with null once it is deleted. */
type Listener = (id: string, conversation: Conversation | null) => void

const newestFirst = (a: Conversation, b: Conversation): number => b.lastActivityAt.localeCompare(a.lastActivityAt)

/** The user's own conversations that are not archived, as of the server's last message. Loads when a page first needs them. */
export const useConversationsStore = defineStore('conversations', () => {
  const auth = useAuthStore()
  const byId = ref(new Map<string, Conversation>())
  const loaded = ref(false)
  const error = ref<string | null>(null)
  const listeners = new Set<Listener>()
  /** Conversations that an event told of during each request of a list, because its response may be older. */
  const readings = new Set<Set<string>>()
  /** Counts the sign-ins: a response to an earlier user's request is dropped. */
  let user = 0

  const open = computed(() => [...byId.value.values()].sort(newestFirst))

  function put(conversation: Conversation): void {
    for (const meanwhile of readings) meanwhile.add(conversation.id)
    if (conversation.userId === auth.user?.id && conversation.state !== 'archived')
      byId.value.set(conversation.id, conversation)
    else byId.value.delete(conversation.id)
    for (const listener of listeners) listener(conversation.id, conversation)
  }

  function drop(id: string): void {
    for (const meanwhile of readings) meanwhile.add(id)
    byId.value.delete(id)
    for (const listener of listeners) listener(id, null)
  }

  /** Reloads them. The old ones stay visible meanwhile. */
  async function load(): Promise<void> {
    const meanwhile = new Set<string>()
    const asker = user
    readings.add(meanwhile)
    try {
      const found = await api.listConversations()
      if (asker !== user) return
      const others = open.value.filter(({ id }) => meanwhile.has(id))
      const fresh = found.filter(({ id }) => !meanwhile.has(id))
      byId.value = new Map([...others, ...fresh].map((one) => [one.id, one]))
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (asker === user) error.value = messageOf(cause)
    } finally {
      readings.delete(meanwhile)
    }
  }

  function apply(event: PlatformEvent): void {
    if (event.type === 'conversation:changed') put(event.conversation)
    else if (event.type === 'conversation:removed') drop(event.conversationId)
  }

  /** Calls the listener for each change of a conversation that this user may see. Returns how to stop. */
  function listen(listener: Listener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  function clear(): void {
    user += 1
    byId.value = new Map()
    loaded.value = false
    error.value = null
  }

  return {
    open,
    loaded,
    error,
    load,
    put,
    apply,
    listen,
    clear,
  }
})
