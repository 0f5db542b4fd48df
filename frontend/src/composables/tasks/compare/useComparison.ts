import { computed, onScopeDispose, ref, watch } from 'vue'
import { chooseTask, readComparison } from '@/api/tasks/comparisons.ts'
import { usePolling } from '@/composables/requests/usePolling.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'

/** Time between two looks while a task of the comparison is active, in milliseconds. */
const LOOK_EVERY_MS = 3_000

/**
 * One comparison, live. It asks for the whole comparison: a stream for each task would use up the connections that a browser
 * has for one server.
 */
export function useComparison(id: string) {
  const attempt = useAttempt()
  const tasks = useTasksStore()
  const isGoing = ref(true)
  const { data, error, refresh } = usePolling(
    () => readComparison(id),
    LOOK_EVERY_MS,
    () => isGoing.value,
  )
  watch(data, (comparison) => {
    if (comparison === null) return
    isGoing.value = comparison.targets.some(({ session }) => session !== null && isActive(session.state))
  })
  const isOf = (taskId: string): boolean => data.value?.targets.some(({ session }) => session?.id === taskId) ?? false
  onScopeDispose(tasks.listen((taskId) => void (isOf(taskId) && refresh())))

  const choosing = ref<string | null>(null)
  async function choose(sessionId: string): Promise<void> {
    choosing.value = sessionId
    await attempt('Could not choose this task', async () => (data.value = await chooseTask(id, sessionId)))
    choosing.value = null
  }
  const hasEnded = computed(() => data.value !== null && !isGoing.value)
  return { comparison: data, error, refresh, hasEnded, choosing, choose }
}
