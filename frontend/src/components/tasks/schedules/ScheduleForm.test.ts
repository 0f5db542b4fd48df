// @vitest-environment happy-dom
import type { Agent, Schedule } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createSchedule } from '@/api/tasks/schedules.ts'
import { unreachable } from '@/api/transport/errors.ts'
import { EXAMPLES } from '@/lib/schedules/form.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import ScheduleForm from './ScheduleForm.vue'

vi.mock('@/api/tasks/schedules.ts')

beforeEach(() => setActivePinia(createPinia()))
enableAutoUnmount(afterEach)

test('a schedule whose answer was lost is created once, however often the user submits it', async () => {
  useAgentsStore().put({ id: '1', name: 'harbour', relation: 'owner', state: 'running' } as Agent)
  vi.mocked(createSchedule)
    .mockRejectedValueOnce(unreachable(null))
    .mockResolvedValueOnce({ id: 's' } as Schedule)
  const form = mount(ScheduleForm, {
    props: { example: EXAMPLES[0], ownProviders: [] },
    global: { stubs: { TaskFields: true, WhenFields: true, UIcon: true } },
  })
  await form.get('form').trigger('submit')
  await flushPromises()
  expect(form.text()).toContain('Slipway does not answer.')
  await form.get('form').trigger('submit')
  await flushPromises()
  expect(form.emitted('saved')).toEqual([[{ id: 's' }]])
  const [first, second] = vi.mocked(createSchedule).mock.calls
  expect(first![1]).toMatch(/\S+/)
  expect(second).toEqual(first)
})
