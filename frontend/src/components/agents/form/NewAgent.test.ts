// @vitest-environment happy-dom
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { createAgent, readAgentOptions } from '@/api/agents/agents.ts'
import { listAgentTemplates } from '@/api/agents/agentTemplates.ts'
import { ApiError } from '@/api/transport/errors.ts'
import { asked } from '@/composables/useConfirm.ts'
import NewAgent from './NewAgent.vue'

vi.mock('@/api/agents/agents.ts')
vi.mock('@/api/agents/agentTemplates.ts')
vi.mock('./AgentForm.vue', () => ({ __esModule: true, default: { render: () => h('form', [h('input')]) } }))

beforeEach(() => {
  setActivePinia(createPinia())
  vi.mocked(listAgentTemplates).mockResolvedValue([{ name: 'web', settings: {} } as never])
  vi.mocked(readAgentOptions).mockResolvedValue({ suggestedName: 'atlas' } as never)
  vi.mocked(createAgent)
    .mockReset()
    .mockResolvedValue({ id: 'a', name: 'atlas' } as never)
})
enableAutoUnmount(afterEach)

/** Clicks on the template of the form that is there. */
const clickAgain = async (): Promise<void> => {
  document.querySelector<HTMLElement>('[data-testid="from-template-web"]')?.click()
  await flushPromises()
}

/** The number of agents made by a click on the template, once the question, if there is one, has its answer. */
const madeBy = async (isWritten: boolean, answer: boolean): Promise<number> => {
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: NewAgent }] })
  const form = mount(NewAgent, {
    props: { created: () => undefined },
    global: { plugins: [router], stubs: { UIcon: true } },
    attachTo: document.body,
  })
  await flushPromises()
  if (isWritten) await form.get('input').trigger('input')
  await form.get('[data-testid="from-template-web"]').trigger('click')
  expect(asked.value !== null).toBe(isWritten)
  asked.value?.answer(answer)
  await flushPromises()
  return vi.mocked(createAgent).mock.calls.length
}

test('a template makes its agent with one click, and asks before it discards what is written in the form', async () => {
  expect(await madeBy(false, false)).toBe(1)
  expect(await madeBy(true, false)).toBe(1)
  expect(await madeBy(true, true)).toBe(2)
})

test('a template makes one agent, also if its answer was lost and the user clicks again', async () => {
  vi.mocked(createAgent).mockRejectedValueOnce(new ApiError(0, 'UNREACHABLE', 'No answer.'))
  await madeBy(false, false)
  vi.mocked(readAgentOptions).mockResolvedValue({ suggestedName: 'borealis' } as never)
  await clickAgain()
  const [first, second] = vi.mocked(createAgent).mock.calls
  expect(second).toEqual(first)
  await clickAgain()
  expect(vi.mocked(createAgent).mock.calls[2]?.[0]).toMatchObject({ name: 'borealis' })
})
