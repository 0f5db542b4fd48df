/** What is known about every agent's container, kept by the engine's events: no request asks the engine for it. */
import type { Agent, StateReason } from '@slipway/protocol'
import type { Clock } from '../../lib/clock.ts'
import { Signal } from '../../lib/emitter.ts'
import type { ContainerInfo, RuntimeEvent } from '../../runtime/port.ts'
import { type Facts, type Operation, reasonForExit, stateOf } from './state.ts'

export interface Snapshot {
  readonly state: Agent['state']
  readonly reason: StateReason | null
  readonly since: Date
  /** The running container's id; null while it does not run or something is being done to it. */
  readonly runningId: string | null
  readonly container: Facts['container']
}

type ContainerEvent = Extract<RuntimeEvent, { agentId: string }>

interface Entry extends Omit<Facts, 'engineUp'> {
  readonly since: number
  readonly lastOomAt: number
  /** What happened while an operation was under way; it counts when that is over. */
  readonly pending: readonly ContainerEvent[]
}

/** An operation causes a handful of events. Beyond this the oldest are dropped: the last ones tell the state. */
const PENDING_EVENTS = 32

const REMOVED: StateReason = {
  code: 'removed',
  message: 'Its container was removed from outside. Start makes a new one; the home is kept.',
}

const empty = (now: number): Entry => ({
  operation: null,
  container: null,
  failure: null,
  note: null,
  since: now,
  lastOomAt: Number.NEGATIVE_INFINITY,
  pending: [],
})

export class Board {
  /** Tells the id of an agent whose state or reason changed. */
  readonly changed: Signal<string>
  readonly #entries = new Map<string, Entry>()
  readonly #clock: Clock
  #engineUp = false

  constructor(clock: Clock, changed: Signal<string>) {
    this.#clock = clock
    this.changed = changed
  }

  /** Agents that the database knows; events of others are ignored. */
  add(agentId: string): void {
    if (!this.#entries.has(agentId)) this.#entries.set(agentId, empty(this.#clock.now()))
  }

  forget(agentId: string): void {
    this.#entries.delete(agentId)
  }

  get(agentId: string): Snapshot {
    const entry = this.#entries.get(agentId) ?? empty(this.#clock.now())
    const { state, reason } = this.#stateOf(entry)
    const runningId = state === 'running' ? (entry.container?.id ?? null) : null
    return { state, reason, since: new Date(entry.since), runningId, container: entry.container }
  }

  /** Something is being done from now on; events wait until {@link settle}. */
  begin(agentId: string, operation: Operation): void {
    this.#update(agentId, { operation })
  }

  /** The operation is over and left this. */
  settle(agentId: string, result: { container?: ContainerInfo | null; failure?: StateReason | null }): void {
    const entry = this.#entries.get(agentId)
    if (!entry) return
    const container = result.container === undefined ? entry.container : result.container
    this.#replace(agentId, {
      ...entry,
      operation: null,
      container,
      failure: result.failure ?? null,
      note: null,
      pending: [],
    })
    for (const event of entry.pending) this.apply(event)
  }

  /** The engine answers again, and this is all it has. */
  load(containers: readonly ContainerInfo[]): void {
    const byAgent = new Map(containers.map((container) => [container.agentId, container]))
    this.#setEngine(true)
    for (const [agentId, entry] of this.#entries) {
      if (entry.operation) continue
      const container = byAgent.get(agentId) ?? null
      const vanished = entry.container !== null && container === null
      this.#update(agentId, {
        container,
        failure: vanished ? REMOVED : container?.running ? null : entry.failure,
        note: container?.running ? null : entry.note,
      })
    }
  }

  /** One event of the engine's. */
  apply(event: RuntimeEvent): void {
    if (event.type === 'disconnected') return this.#setEngine(false)
    if (event.type === 'connected' || event.type === 'exec_died') return
    const entry = this.#entries.get(event.agentId)
    if (!entry) return
    if (entry.operation) {
      const pending = [...entry.pending, event].slice(-PENDING_EVENTS)
      this.#entries.set(event.agentId, { ...entry, pending })
      return
    }
    if (entry.container?.id !== event.containerId) return
    this.#update(event.agentId, this.#consequence(entry, event))
  }

  #consequence(entry: Entry, event: ContainerEvent): Partial<Entry> {
    const { container } = entry
    if (!container) return {}
    switch (event.type) {
      case 'started':
        return { container: { ...container, running: true }, failure: null, note: null }
      case 'oom':
        return { lastOomAt: this.#clock.now() }
      case 'died':
        if (!container.running) return {}
        return {
          container: { ...container, running: false },
          ...reasonForExit(event.exitCode, entry.lastOomAt, this.#clock.now()),
        }
      case 'removed':
        return { container: null, failure: entry.failure ?? REMOVED }
    }
  }

  #setEngine(up: boolean): void {
    if (this.#engineUp === up) return
    this.#engineUp = up
    const now = this.#clock.now()
    for (const [agentId, entry] of this.#entries) {
      this.#entries.set(agentId, { ...entry, since: now })
      this.changed.emit(agentId)
    }
  }

  #update(agentId: string, change: Partial<Entry>): void {
    const entry = this.#entries.get(agentId)
    if (entry) this.#replace(agentId, { ...entry, ...change })
  }

  #replace(agentId: string, next: Entry): void {
    const entry = this.#entries.get(agentId)
    if (!entry) return
    const before = this.#stateOf(entry)
    const after = this.#stateOf(next)
    const same = before.state === after.state && before.reason?.message === after.reason?.message
    this.#entries.set(agentId, same ? { ...next, since: entry.since } : { ...next, since: this.#clock.now() })
    if (!same) this.changed.emit(agentId)
  }

  #stateOf(entry: Entry): ReturnType<typeof stateOf> {
    return stateOf({ ...entry, engineUp: this.#engineUp })
  }
}
