import type { CodingSession, PlatformEvent, RunState } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { effectScope, nextTick } from 'vue'
import { listTasks } from '@/api/tasks/tasks.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useTasksStore } from '@/stores/tasks/tasks.ts'
import { DOCK_TABS_MAX, LINGER_MS, useDockTabs } from './useDockTabs.ts'

vi.mock('@/api/tasks/tasks.ts', () => ({
  listTasks: vi.fn(),
  readTask: vi.fn(() => Promise.reject(new Error('not asked'))),
}))

const ME = 'me'
const task = (id: string, state: RunState = 'running'): CodingSession =>
  ({ id, state, userId: ME, createdAt: `2026-11-26T12:00:${id.padStart(2, '0')}.000Z` }) as CodingSession
let scope = effectScope()

beforeEach(() => {
  vi.useFakeTimers()
  setActivePinia(createPinia())
  useAuthStore().user = { id: ME } as NonNullable<ReturnType<typeof useAuthStore>['user']>
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

async function open(...begun: CodingSession[]) {
  vi.mocked(listTasks).mockResolvedValue(begun)
  const tasks = useTasksStore()
  scope.stop()
  scope = effectScope()
  const dock = scope.run(useDockTabs)!
  const tell = async (event: PlatformEvent): Promise<void> => {
    tasks.apply(event)
    await nextTick()
  }
  useAgentsStore().online = true
  await vi.waitFor(() => expect(tasks.loaded).toBe(true), PATIENTLY)
  await nextTick()
  return {
    dock,
    ids: () => dock.tabs.value.map(({ id }) => id),
    create: (session: CodingSession) => tell({ type: 'coding-agent:session:created', session }),
    become: (sessionId: string, state: RunState) => tell({ type: 'coding-agent:session:state', sessionId, state }),
  }
}

test('a tab opens for each task that has started, and a queued one waits for its start', async () => {
  const { dock, ids, create, become } = await open(task('1'), task('2', 'completed'), task('3', 'queued'))
  expect(ids()).toEqual(['1'])
  await create(task('4', 'starting'))
  await become('3', 'running')
  expect(ids()).toEqual(['1', '4', '3'])
  // The user may be looking at the first one, which runs.
  expect(dock.chosen.value).toBe('1')
})

test('the tab of an ended task leaves after a minute, and that of a failed one stays', async () => {
  const { dock, ids, become, create } = await open(task('1'), task('2'))
  dock.choose('1')
  await become('1', 'completed')
  await become('2', 'failed')
  vi.advanceTimersByTime(LINGER_MS - 1)
  expect(ids()).toEqual(['1', '2'])
  vi.advanceTimersByTime(1)
  expect([ids(), dock.chosen.value]).toEqual([['2'], '2'])
  vi.advanceTimersByTime(10 * LINGER_MS)
  expect(ids()).toEqual(['2'])
  await create(task('3'))
  expect(dock.chosen.value).toBe('3')
})

test('a closed tab stays closed', async () => {
  const { dock, ids, become } = await open(task('1'), task('2'))
  dock.close('1')
  await become('1', 'waiting')
  expect([ids(), dock.chosen.value]).toEqual([['2'], '2'])
})

test('there are only so many tabs, and those of ended tasks leave first', async () => {
  const { ids, create, become } = await open(task('1'), task('2'))
  await become('2', 'failed')
  for (let id = 3; id <= DOCK_TABS_MAX + 2; id += 1) await create(task(String(id)))
  expect(ids()).toHaveLength(DOCK_TABS_MAX)
  expect(ids().slice(0, 2)).toEqual(['3', '4'])
})
