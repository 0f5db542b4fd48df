import type { PlatformEvent, Shown } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { readShown } from '@/api/agents/shown.ts'

const isSame = (one: Shown, other: Shown): boolean =>
  one.kind === other.kind && one.key === other.key && one.sessionId === other.sessionId

/** What agents show, as their programs say. The server bounds how much that is. */
export const useShownStore = defineStore('shown', () => {
  const byAgent = shallowReactive(new Map<string, readonly Shown[]>())
  /** Counts the events of each agent, because a response may be older than one of them. */
  const told = new Map<string, number>()

  function put(agentId: string, shown: readonly Shown[]): void {
    if (shown.length === 0) byAgent.delete(agentId)
    else byAgent.set(agentId, shown)
  }

  /** Reads what an agent shows. A failure leaves what is known: it is only a convenience. */
  async function load(agentId: string, key: string): Promise<void> {
    const before = told.get(agentId)
    const found = await readShown(key).catch(() => null)
    if (found && told.get(agentId) === before) put(agentId, found.shown)
  }

  function apply(event: PlatformEvent): void {
    if (event.type === 'agent:shown') {
      const { agentId, shown } = event
      told.set(agentId, (told.get(agentId) ?? 0) + 1)
      const others = (byAgent.get(agentId) ?? []).filter((one) => !isSame(one, shown))
      put(agentId, shown.lines.length === 0 ? others : [...others, shown])
    } else if (event.type === 'coding-agent:session:exit') {
      for (const [agentId, shown] of byAgent)
        if (shown.some(({ sessionId }) => sessionId === event.sessionId))
          put(
            agentId,
            shown.filter(({ sessionId }) => sessionId !== event.sessionId),
          )
    } else if (event.type === 'agent' && event.agent.state !== 'running') byAgent.delete(event.agent.id)
    else if (event.type === 'agent_removed') byAgent.delete(event.agentId)
  }

  return {
    of: (agentId: string): readonly Shown[] => byAgent.get(agentId) ?? [],
    load,
    apply,
    clear: () => byAgent.clear(),
  }
})
