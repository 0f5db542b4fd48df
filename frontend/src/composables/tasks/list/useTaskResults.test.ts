// @vitest-environment happy-dom
import type { CodingResult, CodingResults } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { effectScope, type EffectScope, ref } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { listResults, RESULTS_PAGE_SIZE } from '@/api/tasks/tasks.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { useTaskResults } from './useTaskResults.ts'

vi.mock('@/api/tasks/tasks.ts', () => ({ RESULTS_PAGE_SIZE: 20, listResults: vi.fn() }))

let stored: CodingResult[]
let scope: EffectScope

/** Tasks that end now, the newest first. */
const end = (count: number): void => {
  const from = stored.length
  const items = Array.from({ length: count }, (_, at) => ({ id: `task ${from + count - at}` }) as CodingResult)
  stored = [...items, ...stored]
}

beforeEach(() => {
  setActivePinia(createPinia())
  stored = []
  scope = effectScope()
  vi.mocked(listResults).mockImplementation((_filters, page) => {
    const items = stored.slice((page - 1) * RESULTS_PAGE_SIZE, page * RESULTS_PAGE_SIZE)
    return Promise.resolve({ items, total: stored.length } as CodingResults)
  })
})
afterEach(() => scope.stop())

it('shows all earlier results, also if a task has ended of which the page has not heard', async () => {
  end(2 * RESULTS_PAGE_SIZE + 5)
  const first = stored
  const { results, hasMore, more } = scope.run(() => useTaskResults(ref({})))!
  await flushPromises()
  end(1)
  await more()
  expect(hasMore.value).toBe(true)
  await more()
  expect(results.value).toEqual(first)
  expect(hasMore.value).toBe(false)
})

it('goes on behind what it shows after more tasks than a page have ended', async () => {
  end(2 * RESULTS_PAGE_SIZE)
  const { results, hasMore, more } = scope.run(() => useTaskResults(ref({})))!
  await flushPromises()
  for (let count = 0; count < RESULTS_PAGE_SIZE; count += 1) {
    end(1)
    useTasksStore().ended += 1
    await flushPromises()
  }
  expect(results.value).toHaveLength(2 * RESULTS_PAGE_SIZE)
  await more()
  expect(results.value).toEqual(stored)
  expect(hasMore.value).toBe(false)
})
