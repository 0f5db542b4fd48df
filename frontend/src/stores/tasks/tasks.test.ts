import type { CodingSession, PlatformEvent, RunState } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { listTasks, readTask } from '@/api/tasks/tasks.ts'
import { useAuthStore } from '../identity/auth.ts'
import { useTasksStore } from './tasks.ts'

vi.mock('@/api/tasks/tasks.ts', () => ({ listTasks: vi.fn(), readTask: vi.fn() }))

const ME = 'me'
const task = (id: string, state: RunState = 'running', userId = ME): CodingSession =>
  ({ id, state, userId, createdAt: `2026-11-26T12:00:0${id}.000Z` }) as CodingSession
const created = (session: CodingSession): PlatformEvent => ({ type: 'coding-agent:session:created', session })
const state = (sessionId: string, next: RunState): PlatformEvent => ({
  ...{ type: 'coding-agent:session:state', sessionId, state: next },
})

beforeEach(() => {
  setActivePinia(createPinia())
  useAuthStore().user = { id: ME } as NonNullable<ReturnType<typeof useAuthStore>['user']>
  vi.mocked(readTask).mockRejectedValue(new Error('not asked'))
})

describe('the active tasks', () => {
  it('are those of the user, the newest first, as events say that come during the request', async () => {
    const answer = Promise.withResolvers<CodingSession[]>()
    vi.mocked(listTasks)
      .mockResolvedValueOnce([task('1')])
      .mockReturnValueOnce(answer.promise)
    const tasks = useTasksStore()
    await tasks.load()
    const again = tasks.load()
    tasks.apply(created(task('3', 'starting')))
    tasks.apply(created(task('4', 'starting', 'another user')))
    tasks.apply(state('1', 'completed'))
    answer.resolve([task('1'), task('2')])
    await again
    expect(tasks.active.map(({ id }) => id)).toEqual(['3', '2'])
  })

  it('tell the history that one has ended, by an event, by its own page, or by a request after a gap', async () => {
    vi.mocked(listTasks)
      .mockResolvedValueOnce([task('1'), task('2'), task('3')])
      .mockResolvedValueOnce([task('2', 'failed')])
    const tasks = useTasksStore()
    await tasks.load()
    tasks.apply(state('1', 'completed'))
    expect(tasks.ended).toBe(1)
    tasks.put(task('3', 'completed'))
    expect(tasks.ended).toBe(2)
    await tasks.load()
    expect([tasks.ended, tasks.active]).toEqual([3, []])
  })

  it('tell the history of one that began and ended between two requests, once', async () => {
    const list = vi.mocked(listTasks).mockResolvedValueOnce([task('1', 'completed')])
    const tasks = useTasksStore()
    await tasks.load()
    expect(tasks.ended).toBe(0)
    list.mockResolvedValue([task('1', 'completed'), task('2', 'completed')])
    await tasks.load()
    await tasks.load()
    expect(tasks.ended).toBe(1)
  })

  it('are never active again, although an older answer says so', async () => {
    vi.mocked(listTasks).mockResolvedValueOnce([task('1')])
    const tasks = useTasksStore()
    await tasks.load()
    tasks.apply(state('1', 'terminated'))
    tasks.put(task('1'))
    expect(tasks.active).toEqual([])
  })

  it('are read again where an event says less than the page shows', async () => {
    vi.mocked(listTasks).mockResolvedValueOnce([task('1', 'queued')])
    vi.mocked(readTask).mockResolvedValue({ ...task('1'), startedAt: '2026-11-26T12:00:09.000Z' })
    const tasks = useTasksStore()
    await tasks.load()
    const told = vi.fn()
    tasks.listen(told)
    tasks.apply(state('1', 'running'))
    await vi.waitFor(() => expect(tasks.find('1')?.startedAt).toBe('2026-11-26T12:00:09.000Z'), PATIENTLY)
    expect(told).toHaveBeenCalledExactlyOnceWith('1')
  })
})
