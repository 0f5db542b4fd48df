import type { Dashboard } from '@slipway/protocol'
import { useThrottleFn } from '@vueuse/core'
import { onScopeDispose, ref, shallowRef, watch } from 'vue'
import { markSeen, readDashboard } from '@/api/dashboard.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { useAttempt } from '../requests/useAttempt.ts'
import { usePolling } from '../requests/usePolling.ts'
import { LOSS_POLL_MS, useEventLoss } from '../shell/useEventLoss.ts'

/** Shortest time between two looks because of events, in milliseconds. Many tasks may change at once. */
const SETTLE_MS = 500
/** Time between two looks without any event, in milliseconds: a schedule's time passes, and a day begins. */
const REFRESH_MS = 60_000

const startOfToday = (): Date => new Date(new Date().setHours(0, 0, 0, 0))

/** What the user needs to know at one look, kept up to date by events, or without the event stream by asking. */
export function useDashboard() {
  const tasks = useTasksStore()
  const agents = useAgentsStore()
  const attempt = useAttempt()
  const isLost = useEventLoss()
  const board = shallowRef<Dashboard | null>(null)
  const error = ref<string | null>(null)
  const isMarking = ref(false)
  let isReading = false
  /** Something has changed since the last request began. */
  let isStale = false
  let disposed = false

  async function load(): Promise<void> {
    isStale = true
    if (isReading) return
    isReading = true
    while (isStale && !disposed) {
      isStale = false
      try {
        board.value = await readDashboard(startOfToday())
        error.value = null
      } catch (cause) {
        error.value = messageOf(cause)
      }
    }
    isReading = false
  }

  /** The ended tasks that are shown, and earlier ones, are not new any more. */
  async function seen(): Promise<void> {
    const newest = board.value?.ended.items[0]?.completedAt
    if (isMarking.value || newest == null) return
    isMarking.value = true
    if (await attempt('The tasks could not be marked as seen', () => markSeen(newest))) await load()
    isMarking.value = false
  }

  const soon = useThrottleFn(() => void load(), SETTLE_MS, true)
  const unlisten = tasks.listen(() => void soon())
  usePolling(load, REFRESH_MS, () => true)
  usePolling(load, LOSS_POLL_MS, () => isLost.value)
  watch(
    () => agents.online,
    (online) => online && void load(),
  )
  onScopeDispose(() => {
    disposed = true
    unlisten()
  })
  return { board, error, isLost, isMarking, load, seen }
}
