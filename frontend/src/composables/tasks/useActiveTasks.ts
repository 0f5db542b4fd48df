import { useTimeoutFn } from '@vueuse/core'
import { computed, type ComputedRef, ref, watch } from 'vue'
import { useAgentsStore } from '@/stores/agents.ts'
import { useTasksStore } from '@/stores/tasks.ts'
import { usePolling } from '../requests/usePolling.ts'

/** After this time without the event stream the page asks over REST, and how often, in milliseconds. */
const POLL_MS = 3_000

/**
 * Keeps the list of active tasks up to date while a page shows it: by events, or without the event stream by asking.
 * Returns whether the page asks.
 */
export function useActiveTasks(): ComputedRef<boolean> {
  const tasks = useTasksStore()
  const agents = useAgentsStore()
  const isLost = ref(false)
  const { start, stop } = useTimeoutFn(() => (isLost.value = true), POLL_MS, { immediate: false })
  watch(
    () => agents.online,
    (online) => {
      if (online) stop()
      else start()
      if (online) isLost.value = false
    },
    { immediate: true },
  )
  if (!tasks.loaded) void tasks.load()
  usePolling(
    () => tasks.load(),
    POLL_MS,
    () => isLost.value,
  )
  return computed(() => isLost.value)
}
