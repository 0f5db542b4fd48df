import type { CodingSession } from '@slipway/protocol'
import { useRouter } from 'vue-router'
import { useAgentsStore } from '@/stores/agents/agents.ts'
import { useTerminalsStore } from '@/stores/agents/terminals.ts'

/** Leads the user to a task: to its terminal if it has one of the user's, else to its page. */
export function useOpenTask() {
  const agents = useAgentsStore()
  const router = useRouter()
  const openTerminal = useOpenTerminal()
  return function openTask({ id, agent, mode }: Pick<CodingSession, 'id' | 'agent' | 'mode'>): void {
    if (mode !== 'interactive' || agent === null) return void router.push(`/coding-agents/${id}`)
    const known = agents.find(agent)
    const its = known && agents.sessionsOf(known).find(({ sessionId }) => sessionId === id)
    openTerminal(agent, `/agents/${agent}?task=${id}`, its ? (its.tab ?? '') : null)
  }
}

/**
 * Leads the user to the terminal of a task, at the address that the server gave for it, and to the tab in which it is or
 * begins. Null: the page decides.
 */
export function useOpenTerminal() {
  const router = useRouter()
  const terminals = useTerminalsStore()
  return function openTerminal(agent: string, page: string, tab: string | null): void {
    // One that has ended keeps its mode and its screen, and would not ask for the task.
    if (terminals.statusOf(agent) === 'disconnected') terminals.close(agent)
    void router.push(tab === null ? page : `${page}&tab=${tab}`)
  }
}
