import type { Agent } from '@slipway/protocol'
import { computed, type Ref } from 'vue'
import { policyChoices } from '@/lib/agents/form/policies.ts'
import type { TaskDraft } from '@/lib/tasks/new/draft.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'

/** The policies of a new task, and the chosen one. In a terminal it has none, because the CLI asks there. */
export function useTaskPolicy(agent: () => Agent | null, draft: Ref<TaskDraft>) {
  const providers = useProvidersStore()
  const policies = computed(() => {
    const { mode, provider } = draft.value
    const of = agent()
    if (mode === 'interactive' || of === null) return []
    const choices = policyChoices(of, { asks: providers.canAskPeople(provider), plans: providers.canPlan(provider) })
    return choices.length > 1 || of.policy !== null ? choices : []
  })
  /** A draft may have the policy of another agent or CLI. */
  const policy = computed({
    get: () => policies.value.find(({ value }) => value === draft.value.policy)?.value ?? null,
    set: (value) => (draft.value.policy = value),
  })
  return { policies, policy }
}
