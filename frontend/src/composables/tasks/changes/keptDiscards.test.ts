import type { ChangedFile, CodingSession } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it, vi } from 'vitest'
import { effectScope } from 'vue'
import { discardChanges, readTaskDiff, undoDiscard } from '@/api/tasks/tasks.ts'
import { useAuthStore } from '@/stores/identity/auth.ts'
import { useChanges } from './useChanges.ts'

vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add: vi.fn() }) }))
vi.mock('@/api/tasks/tasks.ts', () => ({ readTaskDiff: vi.fn(), discardChanges: vi.fn(), undoDiscard: vi.fn() }))

const file = { path: 'a.ts', oldPath: null } as ChangedFile
const done = { since: 'turn', before: 'b', after: 'a' } as const

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(readTaskDiff).mockResolvedValue({ tree: 't', files: [file] } as never)
  vi.mocked(discardChanges).mockResolvedValue(done)
  vi.mocked(undoDiscard).mockReset().mockResolvedValue(undefined)
})

/** The tab of the changes of a task, which `leave` closes. */
const opened = async (id: string) => {
  const scope = effectScope()
  const changes = scope.run(() => useChanges(() => ({ id, state: 'completed', agent: 'atlas' }) as CodingSession))!
  await flushPromises()
  return { ...changes, leave: () => scope.stop() }
}

it('a discard can be undone after a look at another tab of the task, by its user alone', async () => {
  const first = await opened('task')
  await first.discard(file, 0)
  first.leave()
  const again = await opened('task')
  expect(again.discards.value).toEqual([{ what: 'a hunk of a.ts', done }])
  expect((await opened('other')).discards.value).toEqual([])
  useAuthStore().user = { id: 'colleague' } as never
  expect((await opened('task')).discards.value).toEqual([])
  await again.undo()
  expect(vi.mocked(undoDiscard).mock.calls).toEqual([['task', done]])
  expect(again.discards.value).toEqual([])
})

it('an undo takes its own discard from the list, also if the answer of another one comes first', async () => {
  const first = await opened('raced')
  await first.discard({ ...file, path: 'a.ts' }, null)
  const late = Promise.withResolvers<typeof done>()
  vi.mocked(discardChanges).mockReturnValueOnce(late.promise)
  const discarded = first.discard({ ...file, path: 'b.ts' }, null)
  first.leave()
  const again = await opened('raced')
  const brought = Promise.withResolvers<undefined>()
  vi.mocked(undoDiscard).mockReturnValueOnce(brought.promise)
  const undone = again.undo()
  late.resolve(done)
  await discarded
  brought.resolve(undefined)
  await undone
  expect(again.discards.value.map(({ what }) => what)).toEqual(['b.ts'])
})
