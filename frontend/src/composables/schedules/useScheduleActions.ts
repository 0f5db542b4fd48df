import type { Schedule } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { deleteSchedule, readSchedule, runSchedule, updateSchedule } from '@/api/tasks/schedules.ts'
import { useBusyRows } from '../requests/useBusyRows.ts'
import { confirm } from '../useConfirm.ts'

/** What the page can do with a schedule. `put` and `drop` store the outcome. */
export function useScheduleActions(put: (schedule: Schedule) => void, drop: (id: string) => void) {
  const { busy, act } = useBusyRows()
  const toast = useToast()

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
      // The task is started, also if this fails. The list is read again in a moment.
      await readSchedule(schedule.id).then(put, () => undefined)
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
