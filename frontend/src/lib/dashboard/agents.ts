import type { Agent } from '@slipway/protocol'
import { shapeOf, stateWord } from '../agents/agentState.ts'

/** Agents on the dashboard. The list has all of them. */
export const AGENTS_SHOWN = 8

/** Lower comes first. */
const RANK = { failed: 0, starting: 1, running: 2, 'needs-you': 2, stopped: 3 } as const

/**
 * The agents that matter most, by name, so that a row does not move when its state changes. Those of other users, which
 * admins see, come after all others.
 */
export function foremost(agents: readonly Agent[], isAsking: (agent: Agent) => boolean): Agent[] {
  const rankOf = (agent: Agent): number =>
    isAsking(agent) ? -1 : RANK[shapeOf(agent.state)] + (agent.relation === 'admin' ? 10 : 0)
  const first = [...agents].sort((a, b) => rankOf(a) - rankOf(b) || a.name.localeCompare(b.name)).slice(0, AGENTS_SHOWN)
  return first.sort((a, b) => a.name.localeCompare(b.name))
}

/** How many agents have which state: "3 running, 1 stopped". */
export function stateCounts(agents: readonly Agent[]): string {
  const counts = new Map<string, number>()
  for (const word of agents.map(stateWord)) counts.set(word, (counts.get(word) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([word, count]) => `${count} ${word.toLowerCase()}`)
    .join(', ')
}
