import type { Agent, CodingAgentStatus } from '@slipway/protocol'
import { computed, type Ref, watch } from 'vue'
import type { TaskDraft } from '@/lib/tasks/new/draft.ts'

/**
 * Keeps the coding CLI of a draft one that the agent has: the draft's, or the agent's own one, or the first one. Until it
 * is known what the agent has, the agent's own one is likely to be there. With `isFixed`, the draft's one stays.
 */
export function useChosenCli(
  agent: () => Agent | null,
  clis: Readonly<Ref<readonly CodingAgentStatus[] | null>>,
  draft: Ref<TaskDraft>,
  isFixed = false,
) {
  watch(
    [clis, draft],
    ([found]) => {
      if (isFixed) return
      const own = agent()?.runtime ?? ''
      const has = (id: string): boolean =>
        found?.some((cli) => cli.installed && cli.provider === id) ?? (id !== '' && id !== 'bash')
      if (has(draft.value.provider)) return
      draft.value.provider = has(own) ? own : (found?.find(({ installed }) => installed)?.provider ?? '')
    },
    { immediate: true },
  )
  return computed(() => clis.value?.find(({ provider }) => provider === draft.value.provider))
}
