import type { Ref } from 'vue'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { LOSS_POLL_MS, useEventLoss } from '@/composables/shell/useEventLoss.ts'

/**
 * Keeps the list of active tasks up to date while a page shows it: by events, or without the event stream by asking.
 * Returns whether the page asks.
 */
export function useActiveTasks(): Readonly<Ref<boolean>> {
  const tasks = useTasksStore()
  const isLost = useEventLoss()
  if (!tasks.loaded) void tasks.load()
  usePolling(
    () => tasks.load(),
    LOSS_POLL_MS,
    () => isLost.value,
  )
  return isLost
}
