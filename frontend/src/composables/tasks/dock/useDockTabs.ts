import type { CodingSession } from '@slipway/protocol'
import { useSessionStorage } from '@vueuse/core'
import { computed, onScopeDispose, ref, shallowRef, watch } from 'vue'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'

/** Most tabs of the dock. With more, those that have ended leave first, and then the oldest. */
export const DOCK_TABS_MAX = 8
/** How long the tab of an ended task stays, in milliseconds. That of a failed one stays until its user closes it. */
export const LINGER_MS = 60_000
/** How many closed tabs are remembered, so that a reload does not open them again. */
const CLOSED_MAX = 50

/** The user's started tasks, as tabs of the dock, oldest first. */
export function useDockTabs() {
  const tasks = useTasksStore()
  const agents = useAgentsStore()
  const tabs = shallowRef<readonly CodingSession[]>([])
  const chosen = ref<string | null>(null)
  const closed = useSessionStorage<string[]>('slipway-dock-closed', [])
  const leaving = new Map<string, ReturnType<typeof setTimeout>>()

  function remove(id: string): void {
    clearTimeout(leaving.get(id))
    leaving.delete(id)
    const at = tabs.value.findIndex((tab) => tab.id === id)
    tabs.value = tabs.value.filter((tab) => tab.id !== id)
    if (chosen.value === id) chosen.value = (tabs.value[at] ?? tabs.value.at(-1))?.id ?? null
  }

  /** Closes a tab. Its task goes on. */
  function close(id: string): void {
    closed.value = [...closed.value, id].slice(-CLOSED_MAX)
    remove(id)
  }

  function follow(active: readonly CodingSession[]): void {
    // A task that the server no longer lists ended while the page was away.
    const known = tabs.value
      .filter((tab) => !isActive(tab.state) || tasks.find(tab.id) !== null)
      .map((tab) => tasks.find(tab.id) ?? tab)
    const isNew = ({ id, state }: CodingSession): boolean =>
      state !== 'queued' && !closed.value.includes(id) && known.every((tab) => tab.id !== id)
    const started = active.filter(isNew).reverse()
    tabs.value = [...known, ...started]
    for (const { id, state } of known)
      if (!isActive(state) && state !== 'failed' && !leaving.has(id))
        leaving.set(
          id,
          setTimeout(() => remove(id), LINGER_MS),
        )
    const shown = known.find(({ id }) => id === chosen.value)
    // The user may be typing into the shown one.
    if (shown === undefined || !isActive(shown.state))
      chosen.value = (started.at(-1) ?? shown ?? known.at(-1))?.id ?? null
    while (tabs.value.length > DOCK_TABS_MAX) {
      const spare = tabs.value.find(({ state }) => !isActive(state)) ?? tabs.value[0]
      if (spare !== undefined) remove(spare.id)
    }
  }

  watch(
    () => agents.online,
    (online) => online && !tasks.loaded && void tasks.load(),
    { immediate: true },
  )
  watch(() => tasks.active, follow, { immediate: true })
  onScopeDispose(() => {
    for (const timer of leaving.values()) clearTimeout(timer)
  })

  return {
    tabs: computed(() => tabs.value),
    chosen: computed(() => chosen.value),
    choose: (id: string): void => void (chosen.value = id),
    close,
  }
}
