import type { CodingSession, CodingSessionDiff, ChangedFile, DiffSince, DiscardedChanges } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { computed, ref, shallowRef, watch } from 'vue'
import { discardChanges, readTaskDiff, undoDiscard } from '@/api/tasks/tasks.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'

/** A discard that can be undone while the page is open. */
interface Discard {
  readonly what: string
  readonly done: DiscardedChanges
}

/** Most discards that can be undone. The oldest one is forgotten. */
const DISCARDS_MAX = 100

/**
 * The changes of a task, since its start or that of its conversation: as the work tree is now, or until the end of the
 * task if the work tree cannot be compared any more. In the first case they can be discarded.
 */
export function useChanges(task: () => CodingSession) {
  const agents = useAgentsStore()
  const toast = useToast()
  const since = ref<DiffSince>('turn')
  const diff = shallowRef<CodingSessionDiff | null>(null)
  const error = ref<string | null>(null)
  const isBusy = ref(false)
  const discards = shallowRef<readonly Discard[]>([])

  const agentRuns = computed(() => agents.own.find(({ name }) => name === task().agent)?.state === 'running')

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    isBusy.value = true
    const found = await readTaskDiff(task().id, since.value).catch((cause: unknown) => messageOf(cause))
    if (number !== asked) return
    isBusy.value = false
    error.value = typeof found === 'string' ? found : null
    if (typeof found !== 'string') diff.value = found
  }
  watch([() => isActive(task().state), agentRuns, since], load, { immediate: true })

  function failed(title: string, cause: unknown): void {
    toast.add({ title, description: messageOf(cause), color: 'error', icon: 'i-lucide-circle-alert' })
  }

  async function write(title: string, work: () => Promise<void>): Promise<void> {
    if (isBusy.value) return
    isBusy.value = true
    await work().catch((cause: unknown) => failed(title, cause))
    await load()
  }

  /** Takes back a hunk of a file, or the file. */
  const discard = (file: ChangedFile, hunk: number | null): Promise<void> =>
    write('Could not discard the change', async () => {
      const tree = diff.value?.tree
      if (tree === undefined) return
      const { path, oldPath } = file
      const done = await discardChanges(task().id, { since: since.value, tree, path, oldPath, hunk })
      const what = hunk === null ? path : `a hunk of ${path}`
      discards.value = [...discards.value, { what, done }].slice(-DISCARDS_MAX)
    })

  /** Takes back the last discard. Earlier ones in the same file would not fit before it. */
  const undo = (): Promise<void> =>
    write('Could not undo the discard', async () => {
      const last = discards.value.at(-1)
      if (last === undefined) return
      await undoDiscard(task().id, last.done)
      discards.value = discards.value.slice(0, -1)
    })

  return { since, diff, error, isBusy, discards, load, discard, undo }
}
