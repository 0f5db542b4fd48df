/** The state of every agent's container, updated by the engine's events. No request asks the engine for it. */
import { AgentState, type Agent, type StateReason } from '@slipway/protocol'
import type { Clock } from '../../../lib/time/clock.ts'
import type { Signal } from '../../../lib/emitter.ts'
import type { ContainerInfo, RuntimeEvent } from '../../../runtime/port.ts'
import { afterEvent, type Entry, found, newEntry } from './entry.ts'
import { type Operation, type Shown, stateOf } from './state.ts'

export interface Snapshot {
  readonly state: Agent['state']
  readonly reason: StateReason | null
  readonly since: Date
  /** The running container's id; null if it does not run or an operation is in progress. */
  readonly runningId: string | null
  readonly container: Entry['container']
}

/** What the engine has of the agents. */
export interface Listed {
  readonly containers: readonly ContainerInfo[]
  /** The ids of the agents that have a home. */
  readonly homes: ReadonlySet<string>
}

/** What an operation has left of an agent. */
export interface Settled {
  /** Undefined if the engine could not tell. */
  readonly container: ContainerInfo | null | undefined
  /** False if it has deleted the home. Without it, a container says that there is one. */
  readonly hasHome?: false | undefined
  readonly failure?: StateReason | null
}

/**
 * Events kept during an operation, which causes a handful. Beyond this number the oldest are dropped: the last ones
 * tell the state.
 */
const PENDING_EVENTS = 32

export class Board {
  /** Emits the id of an agent whose state or reason changed. */
  readonly changed: Signal<string>
  readonly #entries = new Map<string, Entry>()
  readonly #clock: Clock
  #engineUp = false
  #revision = 0

  constructor(clock: Clock, changed: Signal<string>) {
    this.#clock = clock
    this.changed = changed
  }

  /**
   * Grows with every settled operation. Read it before listing the engine's containers, and pass it to {@link load}.
   */
  get revision(): number {
    return this.#revision
  }

  /** Adds an agent of the database; events of unknown agents are ignored. */
  add(agentId: string): void {
    if (!this.has(agentId)) this.#entries.set(agentId, newEntry(this.#clock.now()))
  }

  /** Whether the agent was added and not deleted since. */
  has(agentId: string): boolean {
    return this.#entries.has(agentId)
  }

  forget(agentId: string): void {
    this.#entries.delete(agentId)
  }

  get(agentId: string): Snapshot {
    const entry = this.#entries.get(agentId) ?? newEntry(this.#clock.now())
    const { state, reason } = this.#stateOf(entry)
    const runningId = state === 'running' ? (entry.container?.id ?? null) : null
    return { state, reason, since: new Date(entry.since), runningId, container: entry.container }
  }

  /** Number of agents in each state. */
  counts(): ReadonlyMap<Agent['state'], number> {
    const counts = new Map<Agent['state'], number>(AgentState.anyOf.map(({ const: state }) => [state, 0]))
    for (const entry of this.#entries.values()) {
      const { state } = this.#stateOf(entry)
      counts.set(state, (counts.get(state) ?? 0) + 1)
    }
    return counts
  }

  /** The running agents with their containers. */
  running(): { readonly agentId: string; readonly containerId: string }[] {
    return [...this.#entries.keys()].flatMap((agentId) => {
      const { runningId } = this.get(agentId)
      return runningId === null ? [] : [{ agentId, containerId: runningId }]
    })
  }

  /** An operation begins; events wait until {@link settle}. */
  begin(agentId: string, operation: Operation): void {
    this.#change([agentId], (entry) => ({ ...entry, operation }))
  }

  /** Ends the operation in progress. */
  settle(agentId: string, result: Settled): void {
    this.#revision += 1
    this.#change([agentId], (entry) => {
      const container = result.container === undefined ? entry.container : result.container
      const settled: Entry = {
        ...entry,
        operation: null,
        container,
        hasHome: result.hasHome ?? (container !== null || entry.hasHome),
        failure: result.failure ?? null,
        note: null,
        pending: [],
        revision: this.#revision,
      }
      return entry.pending.reduce((next, event) => afterEvent(next, event, this.#clock.now()), settled)
    })
  }

  /** The engine answers again. `listed` is all that it has, as of when the board was at `revision`. */
  load({ containers, homes }: Listed, revision: number): void {
    const byAgent = new Map(containers.map((container) => [container.agentId, container]))
    const change = (entry: Entry, agentId: string): Entry =>
      entry.operation || entry.revision > revision
        ? entry
        : found(entry, byAgent.get(agentId) ?? null, homes.has(agentId))
    this.#change([...this.#entries.keys()], change, true)
  }

  /** Applies an event of the engine. */
  apply(event: RuntimeEvent): void {
    if (event.type === 'disconnected') return this.#change([...this.#entries.keys()], (entry) => entry, false)
    if (event.type === 'connected' || event.type === 'exec_died') return
    this.#change([event.agentId], (entry) =>
      entry.operation
        ? { ...entry, pending: [...entry.pending, event].slice(-PENDING_EVENTS) }
        : afterEvent(entry, event, this.#clock.now()),
    )
  }

  /** Emits the agents whose state differs afterwards, once all changes are done. */
  #change(
    agentIds: readonly string[],
    change: (entry: Entry, agentId: string) => Entry,
    engineUp = this.#engineUp,
  ): void {
    const before = agentIds.map((agentId) => [agentId, this.#entries.get(agentId)] as const)
    const shown = before.map(([, entry]) => entry && this.#stateOf(entry))
    this.#engineUp = engineUp
    const changed = before.filter(([agentId, entry], index) => {
      if (!entry) return false
      const next = change(entry, agentId)
      const isOther = !isSame(shown[index], this.#stateOf(next))
      this.#entries.set(agentId, isOther ? { ...next, since: this.#clock.now() } : next)
      return isOther
    })
    for (const [agentId] of changed) this.changed.emit(agentId)
  }

  #stateOf(entry: Entry): Shown {
    return stateOf({ ...entry, engineUp: this.#engineUp })
  }
}

const isSame = (a: Shown | undefined, b: Shown): boolean =>
  a?.state === b.state && a.reason?.code === b.reason?.code && a.reason?.message === b.reason?.message
