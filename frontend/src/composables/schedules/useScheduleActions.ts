import type { Schedule } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { ref } from 'vue'
import { deleteSchedule, readSchedule, runSchedule, updateSchedule } from '@/api/schedules.ts'
import { useAttempt } from '../requests/useAttempt.ts'
import { confirm } from '../useConfirm.ts'

/** What the page can do with a schedule. `put` and `drop` store the outcome. */
export function useScheduleActions(put: (schedule: Schedule) => void, drop: (id: string) => void) {
  const attempt = useAttempt()
  const toast = useToast()
  /** Ids of schedules with an action under way. */
  const busy = ref(new Set<string>())

  async function act({ id }: Schedule, failure: string, doIt: () => Promise<unknown>): Promise<boolean> {
    if (busy.value.has(id)) return false
    busy.value.add(id)
    try {
      return await attempt(failure, doIt)
    } finally {
      busy.value.delete(id)
    }
  }

  const toggle = (schedule: Schedule, enabled: boolean): Promise<boolean> =>
    act(schedule, `Could not switch ${enabled ? 'on' : 'off'} “${schedule.name}”`, async () =>
      put(await updateSchedule(schedule.id, { enabled })),
    )

  const run = (schedule: Schedule): Promise<boolean> =>
    act(schedule, `Could not run “${schedule.name}”`, async () => {
      const task = await runSchedule(schedule.id)
      toast.add({
        title: `Started “${schedule.name}”`,
        color: 'success',
        icon: 'i-lucide-play',
        actions: [{ label: 'Open task', color: 'neutral', variant: 'outline', to: `/coding-agents/${task.id}` }],
      })
      put(await readSchedule(schedule.id))
    })

  async function remove(schedule: Schedule, thenFocus: Element | null): Promise<void> {
    const sure = await confirm({
      title: `Delete “${schedule.name}”?`,
      body: 'It starts no more tasks. Its active task goes on, and the results of its tasks stay.',
      action: 'Delete',
      danger: true,
      thenFocus,
    })
    if (!sure) return
    await act(schedule, `Could not delete “${schedule.name}”`, async () => {
      await deleteSchedule(schedule.id)
      drop(schedule.id)
    })
  }

  return { busy, toggle, run, remove }
}
