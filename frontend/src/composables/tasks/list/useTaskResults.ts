import type { CodingResult } from '@slipway/protocol'
import { computed, onScopeDispose, type Ref, ref, shallowRef, watch } from 'vue'
import { listResults, RESULTS_PAGE_SIZE } from '@/api/tasks/tasks.ts'
import { messageOf } from '@/api/transport/errors.ts'
import type { ResultFilters } from '@/lib/tasks/list/filters.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'

/**
 * The loaded part of the history, the newest first. It loads again when the filters change, and when a task has ended or
 * moved into the archive.
 * `results` is null until the first page has loaded.
 */
export function useTaskResults(filters: Ref<ResultFilters>) {
  const tasks = useTasksStore()
  const results = shallowRef<readonly CodingResult[] | null>(null)
  const total = ref(0)
  const error = ref<string | null>(null)
  const busy = ref(false)
  /** The last page that was read. Left-out twins make the results fewer than its pages have, and a refresh makes them more. */
  const last = ref(0)
  /** Drops the response to an outdated request. */
  let question = 0

  /** Results are never shown twice: a task that ends meanwhile moves those after it to the next page. */
  const withoutTwins = (items: readonly CodingResult[]): CodingResult[] => [
    ...new Map(items.map((item) => [item.id, item])).values(),
  ]

  async function read(page: number, join: (items: readonly CodingResult[]) => CodingResult[]): Promise<void> {
    const mine = ++question
    busy.value = true
    error.value = null
    try {
      const answer = await listResults(filters.value, page)
      if (mine !== question) return
      results.value = join(answer.items)
      total.value = answer.total
      last.value = Math.max(page, Math.floor(results.value.length / RESULTS_PAGE_SIZE))
    } catch (cause) {
      if (mine === question) error.value = messageOf(cause)
    } finally {
      if (mine === question) busy.value = false
    }
  }

  function load(): Promise<void> {
    results.value = null
    return read(1, (items) => [...items])
  }
  /** Puts the newest ones in front, and keeps the loaded others. */
  const refresh = (): Promise<void> => read(1, (items) => withoutTwins([...items, ...(results.value ?? [])]))
  const more = (): Promise<void> => read(last.value + 1, (items) => withoutTwins([...(results.value ?? []), ...items]))

  watch(filters, load, { immediate: true })
  watch(() => tasks.ended, refresh)
  watch(
    () => tasks.archived,
    () => read(1, (items) => [...items]),
  )
  onScopeDispose(() => (question += 1))
  const hasMore = computed(
    () => results.value !== null && Math.max(results.value.length, last.value * RESULTS_PAGE_SIZE) < total.value,
  )
  return { results, total, error, busy, hasMore, load, more }
}
