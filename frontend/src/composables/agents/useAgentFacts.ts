import type { Agent } from '@slipway/protocol'
import { computed } from 'vue'
import type { Facts } from '@/lib/agents/agentList.ts'
import { useAgentsStore } from '@/stores/agents.ts'
import { useDialogsStore } from '@/stores/dialogs.ts'
import { useTasksStore } from '@/stores/tasks.ts'

/** What happens in the agents. Looked up in tables, so that thousands of agents cost no more than their number. */
export function useAgentFacts(): (agent: Agent) => Facts {
  const agents = useAgentsStore()
  const dialogs = useDialogsStore()
  const tasks = useTasksStore()

  const waiting = computed(
    () => new Set([...dialogs.needed.map(({ agent }) => agent), ...agents.needing.map(({ agent }) => agent.name)]),
  )
  const working = computed(() => {
    const counts = new Map<string, number>()
    for (const { agent } of tasks.active) if (agent !== null) counts.set(agent, (counts.get(agent) ?? 0) + 1)
    return counts
  })
  return (agent) => ({
    waits: waiting.value.has(agent.name),
    tasks: working.value.get(agent.name) ?? 0,
    terminals: agents.sessionsOf(agent).length,
  })
}
