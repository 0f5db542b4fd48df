import type { Conversation, ConversationMessage } from '@slipway/protocol'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { listQueue, listTurns, readConversation } from '@/api/tasks/conversations.ts'
import { ApiError, messageOf } from '@/api/transport/errors.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { LOSS_POLL_MS, useEventLoss } from '@/composables/shell/useEventLoss.ts'
import { type LoadedTurns, withEarlier, withLatest } from '@/lib/conversations/turns.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'

/**
 * One conversation with its last turns and the messages that wait, live. The turns themselves are followed as tasks. The
 * scope that calls it belongs to one conversation.
 */
export function useConversation(id: string) {
  const store = useConversationsStore()
  const agents = useAgentsStore()
  const conversation = shallowRef<Conversation | null>(null)
  /** Why it cannot be shown: it does not exist, or not for this user. */
  const isMissing = ref(false)
  const error = ref<string | null>(null)
  const turns = shallowRef<LoadedTurns | null>(null)
  const queue = shallowRef<readonly ConversationMessage[]>([])
  const isLoadingEarlier = ref(false)
  const isLost = useEventLoss()
  let isLeft = false
  let isReading = false
  /** Whether it has changed since the last request began. */
  let isStale = false

  async function read(): Promise<void> {
    const [now, page, waiting] = await Promise.all([readConversation(id), listTurns(id, null), listQueue(id)])
    if (isLeft) return
    // An event during the request is newer than its response.
    if (!isStale || conversation.value === null) {
      conversation.value = now
      store.put(now)
    }
    turns.value = withLatest(turns.value, page)
    queue.value = waiting
    error.value = null
  }

  /** Reads everything again. Changes during a request make one further request. */
  async function refresh(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    try {
      while (isStale && !isLeft) {
        isStale = false
        await read()
      }
    } catch (cause) {
      isStale = false
      if (isLeft) return
      if (cause instanceof ApiError && [400, 403, 404].includes(cause.statusCode)) isMissing.value = true
      else error.value = messageOf(cause)
    } finally {
      isReading = false
    }
  }

  async function loadEarlier(): Promise<void> {
    const before = turns.value?.before ?? null
    if (before === null || isLoadingEarlier.value) return
    isLoadingEarlier.value = true
    try {
      const page = await listTurns(id, before)
      if (!isLeft && turns.value !== null) turns.value = withEarlier(turns.value, page)
    } catch (cause) {
      if (!isLeft) error.value = messageOf(cause)
    } finally {
      isLoadingEarlier.value = false
    }
  }

  const unlisten = store.listen((changedId, changed) => {
    // The response of this page's own request is no news.
    if (changedId !== id || changed === conversation.value) return
    if (changed === null) return void (isMissing.value = true)
    conversation.value = changed
    void refresh()
  })
  usePolling(refresh, LOSS_POLL_MS, () => isLost.value)
  // The events of a gap never come, however short it was.
  watch(
    () => agents.online,
    (online) => online && void refresh(),
  )
  onScopeDispose(() => {
    isLeft = true
    unlisten()
  })
  void refresh()

  return {
    conversation,
    isMissing,
    error,
    turns: computed(() => turns.value?.items ?? null),
    hasEarlier: computed(() => turns.value?.before != null),
    queue,
    isLoadingEarlier,
    isLost,
    refresh,
    loadEarlier,
  }
}
