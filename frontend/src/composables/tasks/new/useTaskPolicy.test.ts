import { type Agent, AGENT_POLICIES, type AgentPolicy, type Provider } from '@slipway/protocol'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, it } from 'vitest'
import { ref } from 'vue'
import { EMPTY_DRAFT, type TaskDraft } from '@/lib/tasks/new/draft.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'
import { useTaskPolicy } from './useTaskPolicy.ts'

beforeEach(() => setActivePinia(createPinia()))

const policyOf = (policy: AgentPolicy | null, more: Partial<TaskDraft> = {}, ofAgent: AgentPolicy | null = null) => {
  const draft = ref<TaskDraft>({ ...EMPTY_DRAFT, provider: 'codex', policy, ...more })
  return useTaskPolicy(() => ({ policy: ofAgent, skipPermissions: false }) as Agent, draft)
}

it.each(AGENT_POLICIES)('a task keeps the policy %s that was chosen while the list of CLIs is missing', (chosen) => {
  const { policy, policies } = policyOf(chosen)
  expect([policy.value, policies.value.some(({ value }) => value === chosen)]).toEqual([chosen, true])
})

it('a task has the policy of its agent where the chosen one is laxer, and in a terminal none', () => {
  expect(policyOf('ask', {}, 'plan').policy.value).toBeNull()
  expect(policyOf('plan', { mode: 'interactive' }).policy.value).toBeNull()
  expect(policyOf(null).policies.value).toEqual([])
})

it('a task does not have a policy that its CLI is known to lack', () => {
  useProvidersStore().items = [{ id: 'codex', canAskPeople: false, canPlan: true } as Provider]
  expect([policyOf('ask').policy.value, policyOf('plan').policy.value]).toEqual([null, 'plan'])
})
