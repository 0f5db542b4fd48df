import type { Agent } from '@slipway/protocol'
import { shapeOf, type Shape } from './agentState.ts'

/** What the list of agents can be sorted by. */
export const COLUMNS = ['name', 'does', 'branch', 'activity', 'runtime', 'owner', 'people'] as const
export type Column = (typeof COLUMNS)[number]

export const COLUMN_LABELS: Readonly<Record<Column, string>> = {
  name: 'Name',
  does: 'Doing',
  branch: 'Branch',
  activity: 'Last activity',
  runtime: 'Coding agent',
  owner: 'Owner',
  people: 'People',
}

export interface Order {
  readonly column: Column
  readonly isDescending: boolean
}

/** What happens in an agent, the most urgent first. */
export const DOINGS = ['waits', 'works', 'asks', 'signed-out', 'open', 'idle'] as const
export type Doing = (typeof DOINGS)[number]

/** What this page knows about an agent besides its settings. */
export interface Facts {
  /** Whether it waits for this user: with a question, or in their terminal. */
  readonly waits: boolean
  /** Whether a question in it waits for an answer, of any user. */
  readonly asks: boolean
  /** How many terminals are open in it, and in how many of them a program works. */
  readonly terminals: number
  readonly atWork: number
  /** Whether the coding agent of a terminal in it is not signed in. */
  readonly isSignedOut: boolean
  /** How many users have a terminal in it. */
  readonly people: number
}

/** One agent with what the list shows of it. */
export interface Listed {
  readonly agent: Agent
  readonly facts: Facts
  /** Label of its coding agent. */
  readonly runtime: string
  /** As {@link wordsOf}. */
  readonly words: string
}

/** Null: it does not run. */
export const doingOf = ({ agent, facts }: Pick<Listed, 'agent' | 'facts'>): Doing | null => {
  if (facts.waits) return 'waits'
  if (agent.state !== 'running') return null
  if (agent.tasksAtWork > 0 || facts.atWork > 0) return 'works'
  if (facts.asks) return 'asks'
  if (facts.isSignedOut) return 'signed-out'
  return facts.terminals > 0 ? 'open' : 'idle'
}

const counted = (count: number, one: string): string => (count === 1 ? `1 ${one}` : `${count} ${one}s`)

/** The same in words. */
export function doingText(listed: Pick<Listed, 'agent' | 'facts'>): string {
  const { terminals, atWork } = listed.facts
  const { tasksAtWork: tasks } = listed.agent
  switch (doingOf(listed)) {
    case 'waits':
      return 'Waits for you'
    case 'works':
      return tasks > 0 ? `Works on ${counted(tasks, 'task')}` : `Works in ${counted(atWork, 'terminal')}`
    case 'asks':
      return 'Waits for an answer'
    case 'signed-out':
      return 'Not signed in'
    case 'open':
      return `${counted(terminals, 'terminal')} open`
    case 'idle':
      return 'Idle'
    case null:
      return ''
  }
}

/** What the list can be filtered by, besides words. */
export type Kind = Shape | Extract<Doing, 'works' | 'signed-out' | 'idle'>

/** Which agents the list shows. */
export interface Filter {
  readonly search: string
  /** Null: of any kind. */
  readonly kind: Kind | null
}

/** Whether the list shows an agent. One that waits for the user counts as such, whatever its state is. */
export function matches(listed: Listed, { search, kind }: Filter): boolean {
  const { agent, facts } = listed
  if (kind === 'works' || kind === 'signed-out' || kind === 'idle') {
    if (doingOf(listed) !== kind) return false
  } else if (kind !== null && (facts.waits ? 'needs-you' : shapeOf(agent.state)) !== kind) return false
  const wanted = search.trim().toLowerCase()
  return wanted === '' || listed.words.includes(wanted)
}

/** The words that a search finds, one in each line. */
export const wordsOf = ({ name, model, owner, state, branch }: Agent, runtime: string): string =>
  [name, runtime, model, owner?.email, state, branch?.name].filter(Boolean).join('\n').toLowerCase()

/** When something last happened in it; `now` while something does. Null: it is not known that anything has. */
export const activeAt = (listed: Pick<Listed, 'agent' | 'facts'>): string | null =>
  doingOf(listed) === 'works' ? 'now' : listed.agent.lastActivityAt

const rankOf = (listed: Listed): number => {
  const doing = doingOf(listed)
  return doing === null ? DOINGS.length : DOINGS.indexOf(doing)
}

/** By code units: a list of thousands must not wait for the rules of a language. */
const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
/** Behind every name if it is not known. */
const branchOf = ({ agent }: Listed): string => agent.branch?.name ?? '\uffff'
const ownerOf = ({ agent }: Listed): string => agent.owner?.email ?? ''

const COMPARE: Record<Column, (a: Listed, b: Listed) => number> = {
  name: () => 0,
  does: (a, b) => rankOf(a) - rankOf(b),
  branch: (a, b) => compared(branchOf(a), branchOf(b)),
  // The last one first. `now` is greater than any time.
  activity: (a, b) => compared(activeAt(b) ?? '', activeAt(a) ?? ''),
  runtime: (a, b) => compared(a.runtime, b.runtime),
  owner: (a, b) => compared(ownerOf(a), ownerOf(b)),
  people: (a, b) => b.facts.people - a.facts.people,
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
