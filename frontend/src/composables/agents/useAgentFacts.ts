import type { Agent, LiveSession } from '@slipway/protocol'
import { computed } from 'vue'
import { type Facts, type Listed, wordsOf } from '@/lib/agents/agentList.ts'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useDialogsStore } from '@/stores/dialogs/dialogs.ts'
import { useProvidersStore } from '@/stores/tasks/providers.ts'

/** What happens in the agents. Looked up in tables, so that thousands of agents cost no more than their number. */
export function useAgentFacts(): (agent: Agent) => Facts {
  const agents = useAgentsStore()
  const dialogs = useDialogsStore()

  const waiting = computed(
    () => new Set([...dialogs.needed.map(({ agent }) => agent), ...agents.needing.map(({ agent }) => agent.name)]),
  )
  const asking = computed(() => new Set(dialogs.open.map(({ agent }) => agent)))
  return (agent) => {
    const sessions = agents.sessionsById.get(agent.id)
    return {
      waits: waiting.value.has(agent.name),
      asks: asking.value.has(agent.name),
      ...(sessions === undefined ? NONE_OPEN : inTerminals(sessions)),
    }
  }
}

type InTerminals = Pick<Facts, 'terminals' | 'atWork' | 'isSignedOut' | 'people'>
const NONE_OPEN: InTerminals = { terminals: 0, atWork: 0, isSignedOut: false, people: 0 }

const inTerminals = (sessions: readonly LiveSession[]): InTerminals => ({
  terminals: sessions.length,
  atWork: sessions.filter(({ works }) => works).length,
  isSignedOut: sessions.some(({ signedIn }) => signedIn === false),
  people: new Set(sessions.map(({ userId }) => userId)).size,
})

/** The agents with what a list shows of them. */
export function useListed(): (agent: Agent) => Listed {
  const providers = useProvidersStore()
  const factsOf = useAgentFacts()
  return (agent) => {
    const runtime = providers.runtimeLabel(agent.runtime)
    return { agent, facts: factsOf(agent), runtime, words: wordsOf(agent, runtime) }
  }
}
