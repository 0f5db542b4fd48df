// @vitest-environment happy-dom
import type { PullText } from '@slipway/protocol'
import { effectScope, type EffectScope, nextTick, ref } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { PATIENTLY } from '@/lib/testing/patiently.ts'
import { readPullText } from '@/api/git/publications.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { usePullText } from './usePullText.ts'

vi.mock('@/api/git/publications.ts')

const text = (body: string): PullText => ({ number: 7, title: 'Fix it', body })
const pull = ref<string | null>(null)
let scope: EffectScope
beforeEach(() => {
  scope = effectScope()
  pull.value = '7 at first'
  vi.mocked(readPullText).mockReset()
})
afterEach(() => scope.stop())

it('the text of a pull request is asked for once it is wanted, and again after each change', async () => {
  vi.mocked(readPullText).mockResolvedValueOnce(text('one')).mockResolvedValueOnce(text('two'))
  const of = scope.run(() => usePullText('task', () => pull.value))!
  await nextTick()
  expect(readPullText).not.toHaveBeenCalled()
  of.isWanted.value = true
  await vi.waitFor(() => expect(of.text.value?.body).toBe('one'), PATIENTLY)
  pull.value = '7 changed'
  await vi.waitFor(() => expect(of.text.value?.body).toBe('two'), PATIENTLY)
  pull.value = null
  await nextTick()
  expect([of.text.value, of.isLoading.value]).toEqual([null, false])
  expect(readPullText).toHaveBeenCalledTimes(2)
})

it('a host that refuses says why, and can be asked again', async () => {
  vi.mocked(readPullText).mockRejectedValueOnce(new ApiError(409, 'REMOTE_REFUSED', 'gh is not signed in.'))
  const of = scope.run(() => usePullText('task', () => pull.value))!
  of.isWanted.value = true
  await vi.waitFor(() => expect(of.error.value).toBe('gh is not signed in.'), PATIENTLY)
  vi.mocked(readPullText).mockResolvedValueOnce(text('one'))
  await of.load()
  expect([of.error.value, of.text.value?.body]).toEqual([null, 'one'])
})
