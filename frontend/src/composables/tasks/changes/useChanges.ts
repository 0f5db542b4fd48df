import type { CodingSession, CodingSessionDiff, ChangedFile, DiffSince, DiscardedChanges } from '@slipway/protocol'
import { useToast } from '@nuxt/ui/composables'
import { computed, ref, shallowReactive, shallowRef, watch } from 'vue'
import { discardChanges, readTaskDiff, undoDiscard } from '@/api/tasks/tasks.ts'
import { messageOf } from '@/api/transport/errors.ts'
import { afterFailedUndo } from '@/composables/changes/afterFailedUndo.ts'
import { withDirectionsInSight } from '@/lib/format/directions.ts'
import { putNewest } from '@/lib/newest.ts'
import { isActive } from '@/lib/tasks/taskState.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'

/** A discard that can be undone while the page is open. */
interface Discard {
  readonly what: string
  readonly done: DiscardedChanges
}

/** Most discards that can be undone. The oldest one is forgotten. */
const DISCARDS_MAX = 100
/** Most tasks whose discards can be undone. The one with the oldest discard is forgotten. */
const TASKS_MAX = 20
/** The discards by user and task: the changes come and go with their tab. */
const ofTasks = shallowReactive(new Map<string, readonly Discard[]>())

/**
 * The changes of a task, since its start or that of its conversation: as the work tree is now, or until the end of the
 * task if the work tree cannot be compared any more. In the first case they can be discarded.
 */
export function useChanges(task: () => CodingSession) {
  const agents = useAgentsStore()
  const toast = useToast()
  const since = ref<DiffSince>('turn')
  /** With what it was asked for: another choice may not have loaded. */
  const shown = shallowRef<{ readonly since: DiffSince; readonly diff: CodingSessionDiff } | null>(null)
  const diff = computed(() => shown.value?.diff ?? null)
  const shownSince = computed(() => shown.value?.since ?? since.value)
  const error = ref<string | null>(null)
  const isBusy = ref(false)
  const key = `${useAuthStore().user?.id ?? ''} ${task().id}`
  const discards = computed<readonly Discard[]>({
    get: () => ofTasks.get(key) ?? [],
    set: (next) => putNewest(ofTasks, key, next, TASKS_MAX),
  })

  const agentRuns = computed(() => agents.own.find(({ name }) => name === task().agent)?.state === 'running')

  let asked = 0
  async function load(): Promise<void> {
    const number = (asked += 1)
    isBusy.value = true
    const wanted = since.value
    const found = await readTaskDiff(task().id, wanted).catch((cause: unknown) => messageOf(cause))
    if (number !== asked) return
    isBusy.value = false
    error.value = typeof found === 'string' ? found : null
    if (typeof found !== 'string') shown.value = { since: wanted, diff: found }
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
      const done = await discardChanges(task().id, { since: shownSince.value, tree, path, oldPath, hunk })
      const what = hunk === null ? path : `a hunk of ${path}`
      discards.value = [...discards.value, { what, done }].slice(-DISCARDS_MAX)
    })

  /** Takes back the last discard. Earlier ones in the same file would not fit before it. */
  async function undo(): Promise<void> {
    const last = discards.value.at(-1)
    if (last === undefined) return
    await write(`Could not bring back ${withDirectionsInSight(last.what)}`, async () => {
      await undoDiscard(task().id, last.done).catch((cause: unknown) => {
        discards.value = afterFailedUndo(discards.value, last, cause)
        throw cause
      })
      // The answer of another discard may have come meanwhile.
      discards.value = discards.value.filter((one) => one !== last)
    })
  }

  return { since, shownSince, diff, error, isBusy, discards, load, discard, undo }
}
