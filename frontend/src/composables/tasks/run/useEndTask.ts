import type { CodingSession } from '@slipway/protocol'
import { ref, watch } from 'vue'
import { endTask } from '@/api/tasks/tasks.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'
import { confirm } from '@/composables/useConfirm.ts'

/** Ends a task after a question. `isEnding` holds from the request until the task has ended. */
export function useEndTask(task: () => CodingSession | null) {
  const attempt = useAttempt()
  const isEnding = ref(false)
  const isGoing = (): boolean => {
    const now = task()
    return now !== null && isActive(now.state)
  }
  watch(isGoing, (going) => going || (isEnding.value = false))

  async function end(): Promise<void> {
    const asked = task()
    if (asked === null) return
    const { id, state, displayName } = asked
    const isQueued = state === 'queued'
    const sure = await confirm({
      title: isQueued ? 'Withdraw this task?' : 'Stop this task?',
      body: isQueued
        ? 'It leaves the line and does not start.'
        : `${displayName} is interrupted, and its processes end. What it has changed and said so far is kept.`,
      action: isQueued ? 'Withdraw' : 'Stop',
      danger: true,
    })
    if (!sure || !isGoing()) return
    isEnding.value = await attempt('Could not stop the task', () => endTask(id))
  }
  return { isEnding, end }
}
