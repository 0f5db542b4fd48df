// @vitest-environment happy-dom
import type { Agent, Conversation } from '@slipway/protocol'
import { enableAutoUnmount, flushPromises, mount } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, expect, it, vi } from 'vitest'
import { createConversation } from '@/api/tasks/conversations.ts'
import PromptField from '@/components/tasks/new/PromptField.vue'
import { draftOf, forgetTasks } from '@/lib/tasks/new/kept.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import NewConversationForm from './NewConversationForm.vue'

vi.mock('@/api/tasks/conversations.ts')
vi.mock('@/api/tasks/providers.ts', () => ({ listProviders: () => Promise.resolve([]) }))
vi.mock('@/api/agents/codingAgents.ts', () => ({
  listStatus: () => Promise.resolve([{ provider: 'codex', installed: true }]),
}))
vi.mock('@/api/agents/credentials.ts', () => ({ listCliAccess: () => Promise.resolve([]) }))
enableAutoUnmount(afterEach)
afterEach(forgetTasks)

it('a first message whose conversation begins after the form was closed is not there again', async () => {
  setActivePinia(createPinia())
  const agent = { id: 'a', name: 'a', runtime: 'codex', state: 'running', stateSince: '', policy: null }
  useAgentsStore().put({ ...agent, skipPermissions: false } as Agent)
  const { promise, resolve } = Promise.withResolvers<Conversation>()
  vi.mocked(createConversation).mockReturnValueOnce(promise)
  const form = mount(NewConversationForm, { shallow: true })
  await flushPromises()
  form.getComponent(PromptField).vm.$emit('update:modelValue', 'Fix the parser')
  await form.get('form').trigger('submit')
  expect(createConversation).toHaveBeenCalledTimes(1)
  form.unmount()
  expect(draftOf('', '#conversation')?.prompt).toBe('Fix the parser')
  resolve({ id: 'c' } as Conversation)
  await flushPromises()
  expect(mount(NewConversationForm, { shallow: true }).getComponent(PromptField).props('modelValue')).toBe('')
})
