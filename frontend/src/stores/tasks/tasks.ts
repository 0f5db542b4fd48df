import type { CodingSession, PlatformEvent } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { computed, ref } from 'vue'
import * as api from '@/api/tasks/tasks.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAuthStore } from '../identity/auth.ts'

/** Called with the id of a task that has changed. */
type Listener = (id: string) => void

const newestFirst = (a: CodingSession, b: CodingSession): number => b.createdAt.localeCompare(a.createdAt)

/** The user's own active tasks, as of the server's last message. Loads when a page first needs them. */
export const useTasksStore = defineStore('tasks', () => {
  const auth = useAuthStore()
  const byId = ref(new Map<string, CodingSession>())
  const loaded = ref(false)
  const error = ref<string | null>(null)
  /** How many tasks have ended since the page was opened, so that a history knows when to look again. */
  const ended = ref(0)
  /** How often the user has moved a task into the archive, or out of it. */
  const archived = ref(0)
  const listeners = new Set<Listener>()
  /** Tasks that an event told of during each request of all tasks, because its response may be older. */
  const readings = new Set<Set<string>>()
  let begun = 0
  let shown = 0

  const active = computed(() => [...byId.value.values()].filter(({ state }) => isActive(state)).sort(newestFirst))

  function put(task: CodingSession): void {
    if (task.userId !== auth.user?.id) return
    const known = byId.value.get(task.id)
    // A task that has ended stays so: the response is older than the event.
    if (known !== undefined && !isActive(known.state) && isActive(task.state)) return
    if (known !== undefined && isActive(known.state) && !isActive(task.state)) ended.value += 1
    byId.value.set(task.id, task)
  }

  /** Reloads all tasks. The old ones stay visible meanwhile. */
  async function load(): Promise<void> {
    const meanwhile = new Set<string>()
    const mine = (begun += 1)
    readings.add(meanwhile)
    try {
      const tasks = await api.listTasks()
      if (mine < shown) return
      shown = mine
      const next = new Map(tasks.map((task) => [task.id, task]))
      for (const id of meanwhile) {
        const told = byId.value.get(id)
        if (told !== undefined) next.set(id, told)
      }
      const isOver = (id: string): boolean => !isActive(next.get(id)?.state ?? 'completed')
      // A short task may have begun and ended since the last response.
      const isNew = (id: string): boolean => loaded.value && !byId.value.has(id)
      const hasEnded = active.value.some(({ id }) => isOver(id)) || tasks.some(({ id }) => isOver(id) && isNew(id))
      byId.value = next
      if (hasEnded) ended.value += 1
      error.value = null
      loaded.value = true
    } catch (cause) {
      if (mine > shown) error.value = messageOf(cause)
    } finally {
      readings.delete(meanwhile)
    }
  }

  /** Reads one task again, because events do not carry all of its fields. A failure leaves it as it is. */
  const refresh = (id: string): Promise<void> => api.readTask(id).then(put, () => undefined)

  /** Moves a task into the archive, or out of it. Throws why it could not. */
  async function archive(id: string, isArchived: boolean): Promise<void> {
    put(await api.archiveTask(id, isArchived))
    archived.value += 1
    note(id)
  }

  function note(id: string): void {
    for (const meanwhile of readings) meanwhile.add(id)
    for (const listener of listeners) listener(id)
  }

  function apply(event: PlatformEvent): void {
    if (event.type === 'coding-agent:session:created') {
      if (loaded.value) put(event.session)
      note(event.session.id)
    } else if (event.type === 'coding-agent:session:state') {
      const known = byId.value.get(event.sessionId)
      if (known !== undefined) {
        if (isActive(known.state) && !isActive(event.state)) ended.value += 1
        byId.value.set(known.id, { ...known, state: event.state })
        if (isActive(event.state)) void refresh(known.id)
      }
      note(event.sessionId)
    } else if (event.type === 'coding-agent:session:exit') {
      note(event.sessionId)
    } else if (event.type === 'dialog:opened' || event.type === 'dialog:answered' || event.type === 'dialog:closed') {
      const { sessionId } = event.dialog
      if (sessionId === null) return
      // The task waits for people now, or not any more.
      if (byId.value.has(sessionId)) void refresh(sessionId)
      note(sessionId)
    }
  }

  /** Calls the listener for each change of a task that this user may see. Returns how to stop. */
  function listen(listener: Listener): () => void {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }

  function clear(): void {
    // Responses still under way belong to the earlier user.
    shown = begun += 1
    byId.value = new Map()
    loaded.value = false
    error.value = null
  }

  return {
    active,
    loaded,
    error,
    ended,
    archived,
    archive,
    find: (id: string): CodingSession | null => byId.value.get(id) ?? null,
    load,
    put,
    apply,
    listen,
    clear,
  }
})
