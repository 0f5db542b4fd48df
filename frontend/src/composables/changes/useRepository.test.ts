// @vitest-environment happy-dom
import type { GitStatus } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { effectScope, type EffectScope } from 'vue'
import { readStatus, undoDiscardOf } from '@/api/git/git.ts'
import { ApiError, unreachable } from '@/api/transport/errors.ts'
import { useRepository } from './useRepository.ts'

const toast = vi.hoisted(() => ({ add: vi.fn() }))
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => toast }))
vi.mock('@/api/git/git.ts')

let scope: EffectScope
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
  vi.mocked(readStatus).mockResolvedValue({ commit: 'c', files: [] } as unknown as GitStatus)
  vi.mocked(undoDiscardOf).mockReset().mockResolvedValue(null)
})
afterEach(() => scope.stop())

/** A repository in which two files were discarded. */
const setUp = async () => {
  const of = scope.run(() =>
    useRepository(
      () => 'a',
      () => '1',
      () => 'work',
    ),
  )!
  await flushPromises()
  of.remember('first', 'kept/1')
  of.remember('last', 'kept/2')
  return of
}
const tried = (): string[] => vi.mocked(undoDiscardOf).mock.calls.map(([, { kept }]) => kept)

it('an earlier discard can be undone after one that does not fit any more', async () => {
  const { undo, discards } = await setUp()
  vi.mocked(undoDiscardOf).mockRejectedValueOnce(new ApiError(409, 'CHANGES_CONFLICT', 'It has changed meanwhile.'))
  await undo()
  expect(toast.add.mock.lastCall?.[0]).toMatchObject({
    title: 'Could not bring back last',
    description: 'It has changed meanwhile.',
  })
  await undo()
  expect(tried()).toEqual(['kept/2', 'kept/1'])
  expect(discards.value.map(({ what }) => what)).toEqual(['last'])
})

it('an undo without an answer is tried again', async () => {
  const { undo } = await setUp()
  vi.mocked(undoDiscardOf).mockRejectedValueOnce(unreachable(null))
  await undo()
  await undo()
  expect(tried()).toEqual(['kept/2', 'kept/2'])
})

it('an act that failed can be tried again during the look after it', async () => {
  const { undo, isBusy } = await setUp()
  const look = Promise.withResolvers<GitStatus>()
  vi.mocked(readStatus).mockReturnValueOnce(look.promise)
  vi.mocked(undoDiscardOf).mockRejectedValueOnce(unreachable(null))
  const failed = undo()
  await flushPromises()
  expect([toast.add.mock.calls.length > 0, isBusy.value]).toEqual([true, false])
  await undo()
  expect(tried()).toEqual(['kept/2', 'kept/2'])
  look.resolve({ commit: 'c', files: [] } as unknown as GitStatus)
  await failed
})
