import type { CodingSession } from '@slipway/protocol'
import { type Ref, ref, watchEffect } from 'vue'
import { isActive } from '@/lib/tasks/taskState.ts'

/** Whether the terminal of a task was seen here. Its last screen stays when the task has ended. */
export function useHadTerminal(task: () => CodingSession | null): Readonly<Ref<boolean>> {
  const had = ref(false)
  watchEffect(() => {
    const now = task()
    had.value ||= now !== null && now.mode === 'interactive' && isActive(now.state)
  })
  return had
}
