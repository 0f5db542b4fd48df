import type { PlatformEvent, Preparation } from '@slipway/protocol'
import { defineStore } from 'pinia'
import { shallowReactive } from 'vue'
import { readPreparation } from '@/api/agents/preparations.ts'

/** What agents begin with: a repository, a set-up, a first task. */
export const usePreparationsStore = defineStore('preparations', () => {
  const byAgent = shallowReactive(new Map<string, Preparation>())
  /** What the user has hidden, by the time of its last change: it comes back when it changes. */
  const hidden = shallowReactive(new Map<string, string>())
  /** Counts the events of each agent, because a response may be older than one of them. */
  const told = new Map<string, number>()

  function put(agentId: string, preparation: Preparation | null): void {
    told.set(agentId, (told.get(agentId) ?? 0) + 1)
    if (preparation) byAgent.set(agentId, preparation)
    else byAgent.delete(agentId)
  }

  /** Resolves with what the server has answered, which is kept unless an event was newer. */
  async function read(agentId: string, key: string): Promise<Preparation | null> {
    const before = told.get(agentId)
    const { preparation } = await readPreparation(key)
    if (told.get(agentId) === before) put(agentId, preparation)
    return preparation
  }

  /** A failure leaves what is known: events go on. */
  const load = (agentId: string, key: string): Promise<unknown> => read(agentId, key).catch(() => null)

  function apply(event: PlatformEvent): void {
    if (event.type === 'agent:preparation') put(event.agentId, event.preparation)
    else if (event.type === 'agent_removed') put(event.agentId, null)
  }

  return {
    /** Null: the agent begins with nothing, or the user has hidden it. */
    of: (agentId: string): Preparation | null => {
      const found = byAgent.get(agentId) ?? null
      return found?.changedAt === hidden.get(agentId) ? null : found
    },
    put,
    read,
    load,
    apply,
    hide: (agentId: string): void => void hidden.set(agentId, byAgent.get(agentId)?.changedAt ?? ''),
    clear(): void {
      byAgent.clear()
      hidden.clear()
    },
  }
})
