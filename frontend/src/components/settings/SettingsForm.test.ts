// @vitest-environment happy-dom
import { AGENT_DEFAULTS, type Agent, type AgentOptions } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { defineComponent, h } from 'vue'
import { createMemoryHistory, createRouter } from 'vue-router'
import { updateAgent } from '@/api/agents/agents.ts'
import SettingsFields from '@/components/agents/form/SettingsFields.vue'
import { ApiError } from '@/api/transport/errors.ts'
import type { AgentSettings } from '@/lib/agents/form/agentSettings.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import SettingsForm from './SettingsForm.vue'

vi.mock('@/api/agents/agents.ts', async (original) => ({ ...(await original<object>()), updateAgent: vi.fn() }))
enableAutoUnmount(afterEach)
beforeEach(() => setActivePinia(createPinia()))

const limits = { default: 1024, min: 1, max: 4096 }
const options = {
  ...{ runtimes: [{ id: 'claude', label: 'Claude' }], images: [], cpus: limits, memoryMb: limits },
} as unknown as AgentOptions
const settings = { ...AGENT_DEFAULTS, runtime: 'claude', cpus: 1, memoryMb: 1024, model: null, image: null }
const saved = { id: 'a', name: 'atlas', stateSince: '2026-01-01T00:00:00Z', ...settings } as unknown as Agent

/** The form in a page that passes the agent on, with a change whose save goes on. */
async function saving() {
  const agents = useAgentsStore()
  agents.put(saved)
  const Page = defineComponent(() => () => h(SettingsForm, { agent: agents.find('atlas')!, options }))
  const stubs = { SettingsFields: true, RuntimeField: true, PermissionsField: true, TaskPolicyField: true, UIcon: true }
  // Buttons look for the page that they lead to.
  const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: Page }] })
  const page = mount(Page, { global: { plugins: [router], stubs } })
  const { promise, resolve, reject } = Promise.withResolvers<Agent>()
  vi.mocked(updateAgent).mockReturnValueOnce(promise)
  const fields = page.getComponent(SettingsFields)
  const shown = () => fields.props('modelValue') as AgentSettings
  const edit = async (change: Partial<AgentSettings>) => {
    fields.vm.$emit('update:modelValue', { ...shown(), ...change })
    await flushPromises()
  }
  const ended = async (agent: Agent | ApiError) => {
    if (agent instanceof ApiError) reject(agent)
    else resolve(agent)
    await flushPromises()
  }
  await edit({ memoryMb: 2048 })
  await page.get('form').trigger('submit')
  const isSavable = () => page.get('[data-testid="settings-save"]').attributes('disabled') === undefined
  return { page, edit, shown, ended, isSavable, tell: (agent: Agent) => agents.apply({ type: 'agent', agent }) }
}

it('what is typed into the settings during a save stays, and can be saved', async () => {
  const { page, edit, shown, ended, isSavable } = await saving()
  await edit({ model: 'opus' })
  await ended({ ...saved, memoryMb: 2048 })
  expect(shown()).toMatchObject({ memoryMb: 2048, model: 'opus' })
  expect([isSavable(), page.text().includes('Saved')]).toEqual([true, false])
})

it('a setting that is set back during its save stays so, whether the event or the answer comes first', async () => {
  const { edit, shown, ended, isSavable, tell } = await saving()
  await edit({ memoryMb: 1024 })
  tell({ ...saved, memoryMb: 2048 })
  await flushPromises()
  await ended({ ...saved, memoryMb: 2048 })
  expect([shown().memoryMb, isSavable()]).toEqual([1024, true])
})

it('saved settings are those of the answer, and nothing is left to save', async () => {
  const { page, shown, ended, isSavable } = await saving()
  await ended({ ...saved, memoryMb: 2048, cpus: 2 })
  expect([shown().memoryMb, shown().cpus, isSavable()]).toEqual([2048, 2, false])
  expect(page.text()).toContain('Saved')
})

it('a save that is refused leaves what the user has typed, beside what another page has saved meanwhile', async () => {
  const { shown, ended, isSavable, tell } = await saving()
  tell({ ...saved, cpus: 2 })
  await flushPromises()
  await ended(new ApiError(409, 'WRONG_STATE', 'Not now.'))
  expect([shown().memoryMb, shown().cpus, isSavable()]).toEqual([2048, 2, true])
})
