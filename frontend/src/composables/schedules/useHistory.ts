import type { CodingResult } from '@slipway/protocol'
import { computed, onMounted, onScopeDispose, ref } from 'vue'
import { HISTORY_PAGE_SIZE, readScheduleResults } from '@/api/tasks/schedules.ts'
import { messageOf } from '@/api/transport/errors.ts'

/** The results of a schedule's tasks, the newest first. Null until they have loaded. */
export function useHistory(id: string) {
  const results = ref<CodingResult[] | null>(null)
  const total = ref(0)
  const error = ref<string | null>(null)
  const busy = ref(false)
  /** The last page that was read. Left-out results make the rows fewer than its pages have. */
  const last = ref(0)
  let disposed = false

  const hasMore = computed(() => results.value !== null && last.value * HISTORY_PAGE_SIZE < total.value)

  /** Reads one page. A result that ended meanwhile moves the others by one, so known ones are left out. */
  async function read(page: number): Promise<void> {
    if (busy.value) return
    busy.value = true
    error.value = null
    try {
      const answer = await readScheduleResults(id, page)
      if (disposed) return
      const before = page === 1 ? [] : (results.value ?? [])
      const known = new Set(before.map((result) => result.id))
      results.value = [...before, ...answer.items.filter((result) => !known.has(result.id))]
      total.value = answer.total
      last.value = page
    } catch (cause) {
      if (!disposed) error.value = messageOf(cause)
    } finally {
      busy.value = false
    }
  }

  const load = (): Promise<void> => read(1)
  const more = (): Promise<void> => read(last.value + 1)

  onMounted(load)
  onScopeDispose(() => (disposed = true))
  return { results, error, busy, hasMore, load, more }
}
