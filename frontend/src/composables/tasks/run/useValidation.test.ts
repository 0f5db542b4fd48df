// @vitest-environment happy-dom
import type { CodingSession, Validation, ValidationState } from '@slipway/protocol'
import { flushPromises } from '@vue/test-utils'
import { effectScope, type EffectScope, ref } from 'vue'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { readValidation, startValidation } from '@/api/tasks/tasks.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { useValidation } from './useValidation.ts'

vi.mock('@/api/tasks/tasks.ts')
vi.mock('@nuxt/ui/composables', () => ({ useToast: () => ({ add: () => undefined }) }))

type Gate = { readonly id: number; readonly state: ValidationState }

const validation = (state: ValidationState) => ({ state }) as Validation
let scope: EffectScope
const gate = ref<Gate | null>(null)
const follow = (task: Partial<CodingSession>) =>
  scope.run(() =>
    useValidation(
      't',
      () => task as CodingSession,
      () => gate.value,
    ),
  )!

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  vi.mocked(readValidation).mockReset()
  gate.value = null
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

it('a validation is shown although the answer to its start is lost, once the network is back', async () => {
  vi.mocked(startValidation).mockRejectedValue(unreachable(null))
  vi.mocked(readValidation).mockRejectedValue(unreachable(null))
  const { validation: shown, validate } = follow({ state: 'completed', validation: null })
  await validate()
  await flushPromises()
  vi.mocked(readValidation).mockResolvedValue(validation('running'))
  expect(shown.value).toBeNull()
  vi.advanceTimersByTime(2_000)
  await flushPromises()
  expect(shown.value?.state).toBe('running')
})

it('what the gate has found is shown, also if an older answer comes after the event', async () => {
  const older = Promise.withResolvers<Validation>()
  vi.mocked(readValidation).mockReturnValueOnce(older.promise).mockResolvedValue(validation('failed'))
  gate.value = { id: 1, state: 'running' }
  const { validation: shown } = follow({ state: 'running', validation: 'running' })
  await flushPromises()
  gate.value = { id: 2, state: 'failed' }
  await flushPromises()
  older.resolve(validation('running'))
  await flushPromises()
  expect([shown.value?.state, vi.mocked(readValidation).mock.calls.length]).toEqual(['failed', 2])
})

it('a validation that the server refuses to show is not asked for again', async () => {
  vi.mocked(readValidation).mockRejectedValue(new Error('gone'))
  follow({ state: 'completed', validation: 'passed' })
  await flushPromises()
  vi.advanceTimersByTime(10_000)
  await flushPromises()
  expect(readValidation).toHaveBeenCalledTimes(1)
})
