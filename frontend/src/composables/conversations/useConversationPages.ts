import type { Conversation } from '@slipway/protocol'
import { computed, onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { readConversations } from '@/api/tasks/conversations.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { LOSS_POLL_MS, useEventLoss } from '@/composables/shell/useEventLoss.ts'
import {
  type ConversationFilters,
  isListed,
  type LoadedConversations,
  withChange,
  withFirst,
  withNext,
} from '@/lib/conversations/pages.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useConversationsStore } from '@/stores/tasks/conversations.ts'

/**
 * The loaded part of the conversations that match, the newest first, live. It loads again when the filters change, and
 * loads more on demand. Null filters: nothing is loaded. `items` is null until the first page has loaded.
 */
export function useConversationPages(filters: Ref<ConversationFilters | null>) {
  const store = useConversationsStore()
  const agents = useAgentsStore()
  const auth = useAuthStore()
  const loaded = shallowRef<LoadedConversations | null>(null)
  const error = ref<string | null>(null)
  const busy = ref(false)
  const isLost = useEventLoss()
  /** Drops the response to an outdated request. */
  let question = 0
  /** What events told of during the request, because its response may be older. Null: it is not in the list. */
  const told = new Map<string, Conversation | null>()

  async function read(isFirst: boolean): Promise<void> {
    const wanted = filters.value
    if (wanted === null) return
    const mine = ++question
    told.clear()
    busy.value = true
    error.value = null
    try {
      const page = await readConversations(wanted, isFirst ? null : (loaded.value?.cursor ?? null))
      if (mine !== question) return
      const known = loaded.value
      const read = isFirst || known === null ? withFirst(known, page) : withNext(known, page)
      loaded.value = [...told].reduce((list, [id, one]) => withChange(list, id, one), read)
    } catch (cause) {
      if (mine === question) error.value = messageOf(cause)
    } finally {
      if (mine === question) busy.value = false
    }
  }

  const refresh = (): Promise<void> => read(true)
  const more = (): Promise<void> => read(false)
  watch(
    filters,
    () => {
      question += 1
      busy.value = false
      loaded.value = error.value = null
      void refresh()
    },
    { immediate: true },
  )
  const unlisten = store.listen((id, conversation) => {
    if (filters.value === null) return
    const isIn = conversation !== null && isListed(filters.value, conversation, auth.user?.id)
    told.set(id, isIn ? conversation : null)
    if (loaded.value !== null) loaded.value = withChange(loaded.value, id, isIn ? conversation : null)
  })
  usePolling(refresh, LOSS_POLL_MS, () => isLost.value)
  // The events of a gap never come, however short it was.
  watch(
    () => agents.online,
    (online) => online && void refresh(),
  )
  onScopeDispose(() => {
    question += 1
    unlisten()
  })

  return {
    items: computed(() => loaded.value?.items ?? null),
    hasMore: computed(() => loaded.value?.cursor != null),
    error,
    busy,
    refresh,
    more,
  }
}
