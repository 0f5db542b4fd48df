import type { TaskView } from '@slipway/protocol'
import { onMounted, onScopeDispose, ref, shallowRef } from 'vue'
import { readPreferences, writePreferences } from '@/api/identity/preferences.ts'
import { useAttempt } from '@/composables/requests/useAttempt.ts'

/** The saved views of the list of tasks. The account stores them. Until they have loaded, there are none. */
export function useTaskViews() {
  const views = shallowRef<readonly TaskView[]>([])
  const busy = ref(false)
  const attempt = useAttempt()
  let disposed = false

  /** Begins with what the server has, because another page may have changed it. Resolves with whether it succeeded. */
  async function change(failure: string, next: (views: readonly TaskView[]) => TaskView[]): Promise<boolean> {
    if (busy.value) return false
    busy.value = true
    const done = await attempt(failure, async () => {
      const { tasks } = await readPreferences()
      views.value = (await writePreferences({ tasks: { views: next(tasks.views) } })).tasks.views
    })
    busy.value = false
    return done
  }

  /** A view of the same name is replaced. */
  const save = (view: TaskView): Promise<boolean> =>
    change('Could not save the view', (all) => [...all.filter(({ name }) => name !== view.name), view])
  const remove = ({ name }: TaskView): Promise<boolean> =>
    change('Could not remove the view', (all) => all.filter((other) => other.name !== name))

  onMounted(async () => {
    // Without them, the list works as ever.
    const found = await readPreferences().catch(() => null)
    if (found !== null && !disposed) views.value = found.tasks.views
  })
  onScopeDispose(() => (disposed = true))
  return { views, busy, save, remove }
}
