// @vitest-environment happy-dom
import type { ChangedFile, CodingSession, CodingSessionDiff, DiscardedChanges } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { discardChanges, readTaskDiff, undoDiscard } from '@/api/tasks/tasks.ts'
import { ApiError, unreachable } from '@/api/transport/errors.ts'
import { useChanges } from './useChanges.ts'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('@/api/tasks/tasks.ts')

const file = (path: string) => ({ path, oldPath: null }) as ChangedFile
const done = (path: string) => ({ path }) as unknown as DiscardedChanges
let scope: EffectScope
beforeEach(() => {
  vi.clearAllMocks()
  setActivePinia(createPinia())
  scope = effectScope()
  vi.mocked(readTaskDiff).mockResolvedValue({ tree: 'tree', files: [] } as unknown as CodingSessionDiff)
  vi.mocked(undoDiscard).mockResolvedValue(undefined)
  vi.mocked(discardChanges).mockImplementation((_id, { path }) => Promise.resolve(done(path)))
})
afterEach(() => scope.stop())
let tasks = 0
const setUp = async () => {
  const task = { id: `task ${(tasks += 1)}`, state: 'completed', agent: 'a' } as CodingSession
  const of = scope.run(() => useChanges(() => task))!
  await flushPromises()
  return of
}

it('a discard is of the changes that are shown, also if others were asked for and did not load', async () => {
  const { since, shownSince, diff, error, discard } = await setUp()
  const before = diff.value
  vi.mocked(readTaskDiff).mockRejectedValueOnce(unreachable(null))
  since.value = 'start'
  await flushPromises()
  expect([error.value, diff.value, shownSince.value]).toEqual([expect.any(String), before, 'turn'])
  await discard(file('a.ts'), 1)
  expect(discardChanges).toHaveBeenCalledExactlyOnceWith(
    expect.any(String),
    expect.objectContaining({ since: 'turn', tree: 'tree', hunk: 1 }),
  )
})

it('an earlier discard can be undone after one that does not fit any more', async () => {
  const { discard, discards, undo } = await setUp()
  await discard(file('first'), null)
  await discard(file('last'), null)
  vi.mocked(undoDiscard).mockRejectedValueOnce(new ApiError(409, 'CHANGES_CONFLICT', 'The file has changed since.'))
  await undo()
  expect(toast.add.mock.lastCall?.[0]).toMatchObject({
    title: 'Could not bring back last',
    description: 'The file has changed since.',
  })
  await undo()
  expect(vi.mocked(undoDiscard).mock.calls.map(([, of]) => of)).toEqual([done('last'), done('first')])
  expect(discards.value.map(({ what }) => what)).toEqual(['last'])
})
