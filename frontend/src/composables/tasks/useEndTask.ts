import type { CodingSession } from '@slipway/protocol'
import { ref, watch } from 'vue'
import { endTask } from '@/api/tasks.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAttempt } from '../requests/useAttempt.ts'
import { confirm } from '../useConfirm.ts'

/** Ends a task after a question. `isEnding` holds from the request until the task has ended. */
export function useEndTask(task: () => CodingSession) {
  const attempt = useAttempt()
  const isEnding = ref(false)
  watch(
    () => isActive(task().state),
    (active) => active || (isEnding.value = false),
  )

  async function end(): Promise<void> {
    const { id, state, displayName } = task()
    const isQueued = state === 'queued'
    const sure = await confirm({
      title: isQueued ? 'Withdraw this task?' : 'Stop this task?',
      body: isQueued
        ? 'It leaves the line and does not start.'
        : `${displayName} is interrupted, and its processes end. What it has changed and said so far is kept.`,
      action: isQueued ? 'Withdraw' : 'Stop',
      danger: true,
    })
    if (!sure || !isActive(task().state)) return
    isEnding.value = await attempt('Could not stop the task', () => endTask(id))
  }
  return { isEnding, end }
}
