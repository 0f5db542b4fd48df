import type { Agent } from '@slipway/protocol'
import { shapeOf, type Shape } from './agentState.ts'

/** What the list of agents can be sorted by. */
export const COLUMNS = ['name', 'does', 'runtime', 'owner'] as const
export type Column = (typeof COLUMNS)[number]

export interface Order {
  readonly column: Column
  readonly isDescending: boolean
}

/** What happens in an agent, the most urgent first. */
export const DOINGS = ['waits', 'works', 'open', 'idle'] as const
export type Doing = (typeof DOINGS)[number]

/** What this page knows about an agent besides its settings. */
export interface Facts {
  /** Whether it waits for this user: with a question, or in their terminal. */
  readonly waits: boolean
  /** How many of the user's tasks are active in it. */
  readonly tasks: number
  /** How many terminals are open in it. */
  readonly terminals: number
}

/** One agent with what the list shows of it. */
export interface Listed {
  readonly agent: Agent
  readonly facts: Facts
  /** Label of its coding agent. */
  readonly runtime: string
}

/** Null: it does not run. */
export const doingOf = ({ agent, facts }: Pick<Listed, 'agent' | 'facts'>): Doing | null => {
  if (facts.waits) return 'waits'
  if (agent.state !== 'running') return null
  if (facts.tasks > 0) return 'works'
  return facts.terminals > 0 ? 'open' : 'idle'
}

const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`)

/** The same in words. */
export function doingText(listed: Pick<Listed, 'agent' | 'facts'>): string {
  const { tasks, terminals } = listed.facts
  switch (doingOf(listed)) {
    case 'waits':
      return 'Waits for you'
    case 'works':
      return `Works on ${counted(tasks, 'task')}`
    case 'open':
      return `${counted(terminals, 'terminal')} open`
    case 'idle':
      return 'Idle'
    case null:
      return ''
  }
}

/** Which agents the list shows. */
export interface Filter {
  readonly search: string
  /** Null: in any state. */
  readonly shape: Shape | null
}

/** Whether the list shows an agent. One that waits for the user counts as such, whatever its state is. */
export function matches({ agent, facts, runtime }: Listed, { search, shape }: Filter): boolean {
  if (shape !== null && (facts.waits ? 'needs-you' : shapeOf(agent.state)) !== shape) return false
  const wanted = search.trim().toLowerCase()
  const texts = [agent.name, runtime, agent.model, agent.owner?.email, agent.state]
  return wanted === '' || texts.some((text) => text?.toLowerCase().includes(wanted))
}

const rankOf = (listed: Listed): number => {
  const doing = doingOf(listed)
  return doing === null ? DOINGS.length : DOINGS.indexOf(doing)
}

/** By code units: a list of thousands must not wait for the rules of a language. */
const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
const ownerOf = ({ agent }: Listed): string => agent.owner?.email ?? ''

const COMPARE: Record<Column, (a: Listed, b: Listed) => number> = {
  name: () => 0,
  does: (a, b) => rankOf(a) - rankOf(b),
  runtime: (a, b) => compared(a.runtime, b.runtime),
  owner: (a, b) => compared(ownerOf(a), ownerOf(b)),
}

/** Sorts the agents; those that are equal, by name. */
export function sorted(agents: readonly Listed[], { column, isDescending }: Order): Listed[] {
  const compare = COMPARE[column]
  const byName = (a: Listed, b: Listed): number => compared(a.agent.name, b.agent.name)
  const inOrder = agents.toSorted((a, b) => compare(a, b) || byName(a, b))
  return isDescending ? inOrder.toReversed() : inOrder
}

/** The order after a click on a column's head: another column, or the other way round. */
export const orderAfter = (order: Order, column: Column): Order => ({
  column,
  isDescending: order.column === column && !order.isDescending,
})
