// @vitest-environment happy-dom
import type { CodingResult, CodingResults } from '@slipway/protocol'
import { flushPromises, mount } from '@vue/test-utils'
import { expect, it, vi } from 'vitest'
import { HISTORY_PAGE_SIZE, readScheduleResults } from '@/api/tasks/schedules.ts'
import { useHistory } from './useHistory.ts'

vi.mock('@/api/tasks/schedules.ts', () => ({ HISTORY_PAGE_SIZE: 10, readScheduleResults: vi.fn() }))

const ended = (count: number, from = 0): CodingResult[] =>
  Array.from({ length: count }, (_, at) => ({ id: `task ${from + count - at}` }) as CodingResult)

it('shows all earlier results, also if a task ends while they are read', async () => {
  let stored = ended(2 * HISTORY_PAGE_SIZE + 5)
  vi.mocked(readScheduleResults).mockImplementation((_id, page) => {
    const items = stored.slice((page - 1) * HISTORY_PAGE_SIZE, page * HISTORY_PAGE_SIZE)
    return Promise.resolve({ items, total: stored.length } as CodingResults)
  })
  const first = stored
  let history!: ReturnType<typeof useHistory>
  const page = mount({ setup: () => void (history = useHistory('s')), render: () => null })
  await flushPromises()
  stored = [...ended(1, stored.length), ...stored]
  await history.more()
  expect(history.hasMore.value).toBe(true)
  await history.more()
  expect(history.results.value).toEqual(first)
  expect(history.hasMore.value).toBe(false)
  page.unmount()
})
