import type { Agent } from '@slipway/protocol'
import { computed } from 'vue'
import { keyOf, useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'

/** Why an agent wants attention: a question to the user, or its terminal. Null if it does not. */
export function useAsks(agent: () => Agent) {
  const agents = useAgentsStore()
  const dialogs = useDialogsStore()
  const terminals = useTerminalsStore()
  return computed(() => {
    const isAsking = dialogs.needed.some((dialog) => dialog.agent === agent().name)
    if (isAsking) return { kind: 'waits', text: 'waits for your answer' }
    const isNeeding = agents.needing.some((needing) => needing.agent.id === agent().id)
    return (
      terminals.attentions.get(keyOf(agent())) ?? (isNeeding ? { kind: 'waits', text: 'waits in your terminal' } : null)
    )
  })
}
