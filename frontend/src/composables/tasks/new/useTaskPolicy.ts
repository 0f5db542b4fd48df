import type { Agent } from '@slipway/protocol'
import { computed, type Ref } from 'vue'
import { policyChoices, type PolicySkills } from '@/lib/agents/form/policies.ts'
import type { TaskDraft } from '@/lib/tasks/new/draft.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'

/** The policies of a new task, and the chosen one. In a terminal it has none, because the CLI asks there. */
export function useTaskPolicy(agent: () => Agent | null, draft: Ref<TaskDraft>) {
  const providers = useProvidersStore()
  /** Until the providers are known, the CLI can do what the draft asks for. If it cannot, the server refuses the task. */
  const skillsOf = (provider: string): PolicySkills => {
    const { policy: chosen } = draft.value
    return providers.items.length > 0
      ? { asks: providers.canAskPeople(provider), plans: providers.canPlan(provider) }
      : { asks: chosen === 'ask' || chosen === 'tiers', plans: chosen === 'plan' }
  }
  const policies = computed(() => {
    const { mode, provider } = draft.value
    const of = agent()
    if (mode === 'interactive' || of === null) return []
    const choices = policyChoices(of, skillsOf(provider))
    return choices.length > 1 || of.policy !== null ? choices : []
  })
  /** A draft may have the policy of another agent or CLI. */
  const policy = computed({
    get: () => policies.value.find(({ value }) => value === draft.value.policy)?.value ?? null,
    set: (value) => (draft.value.policy = value),
  })
  return { policies, policy }
}
