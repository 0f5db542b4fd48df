/** Tells open pages what changed: each of them only what its user may see. */
import type { Agent, LiveSession, PlatformEvent } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentRepository } from '../agents/repository.ts'
import { type AgentRow, relationOf } from '../agents/rows.ts'
import type { AgentService, AgentSignals } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'
import { concerns, type Revocation, sentenceFor } from '../identity/revocations.ts'

/** A page that listens. */
export interface Listener {
  readonly caller: Caller
  send(event: PlatformEvent): void
  /** Its caller lost the right to listen. */
  revoke(message: string): void
}

/** What the feed wants to know of terminals. */
export interface LiveSessions {
  readonly changed: Signal<string>
  /** Agents with a terminal that is open now. */
  agents(): string[]
  live(agentId: string): LiveSession[]
}

interface Parts {
  readonly repository: AgentRepository
  readonly agents: AgentService
  readonly signals: AgentSignals
  readonly stateChanged: Signal<string>
  readonly sessions: LiveSessions
  readonly revoked: Signal<Revocation>
  readonly log: Log
}

interface Look {
  /** Further changes meanwhile are one more look, not a queue. */
  again: boolean
  /** Somebody lost the agent meanwhile: what is found may still show it to them, and is not told. */
  stale: boolean
}

export class EventFeed {
  readonly #parts: Parts
  readonly #listeners = new Set<Listener>()
  readonly #subscriptions: (() => void)[]
  /** Agents whose change is being looked up. */
  readonly #busy = new Map<string, Look>()

  constructor(parts: Parts) {
    this.#parts = parts
    const { signals, stateChanged, sessions, revoked } = parts
    this.#subscriptions = [
      stateChanged.on((agentId) => this.#agentChanged(agentId)),
      signals.changed.on((agentId) => this.#agentChanged(agentId)),
      sessions.changed.on((agentId) => this.#agentChanged(agentId)),
      signals.deleted.on(({ row }) => this.#deleted(row)),
      signals.unshared.on(({ row, userId }) => this.#unshared(row, userId)),
      revoked.on((revocation) => this.#revoked(revocation)),
    ]
  }

  /** From now on the listener is told what happens; the answer ends that. */
  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    this.#greet(listener).catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'open sessions could not be told'),
    )
    return () => this.#listeners.delete(listener)
  }

  /**
   * Lets in whom `authenticate` finds, with the listener that is made for them. Null when that is nobody, or their right
   * was taken while they were being looked up.
   */
  async admit(
    authenticate: () => Promise<Caller | null>,
    listenerFor: (caller: Caller) => Listener,
  ): Promise<(() => void) | null> {
    const taken = this.#parts.revoked.since()
    const caller = await authenticate()
    if (!caller || taken.settle((revocation) => concerns(revocation, caller))) return null
    return this.add(listenerFor(caller))
  }

  /** Who listens now. */
  callers(): Caller[] {
    return [...this.#listeners].map(({ caller }) => caller)
  }

  close(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    this.#listeners.clear()
  }

  /** Who is in which terminal already; later changes come as they happen. */
  async #greet(listener: Listener): Promise<void> {
    const { repository, sessions } = this.#parts
    const busy = sessions.agents()
    if (busy.length === 0) return
    for (const row of await repository.byIds(busy))
      if (this.#listeners.has(listener) && relationOf(listener.caller, row))
        listener.send({ type: 'sessions', agentId: row.id, sessions: sessions.live(row.id) })
  }

  #agentChanged(agentId: string): void {
    if (this.#listeners.size === 0) return
    const busy = this.#busy.get(agentId)
    if (busy) {
      busy.again = true
      return
    }
    const look: Look = { again: false, stale: false }
    this.#busy.set(agentId, look)
    void this.#tell(agentId, look)
      .catch((error: unknown) => this.#parts.log.error({ agentId, err: error }, 'a change could not be told'))
      .finally(() => {
        this.#busy.delete(agentId)
        if (look.again || look.stale) this.#agentChanged(agentId)
      })
  }

  async #tell(agentId: string, look: Look): Promise<void> {
    const { repository, agents, sessions } = this.#parts
    const row = await repository.byId(agentId)
    if (!row || look.stale) return
    const live = sessions.live(agentId)
    for (const listener of this.#listeners) {
      const relation = relationOf(listener.caller, row)
      if (!relation) continue
      const agent: Agent = agents.view({ row, relation })
      listener.send({ type: 'agent', agent })
      listener.send({ type: 'sessions', agentId, sessions: live })
    }
  }

  /** Told to those who could see it until now. */
  #deleted(row: AgentRow): void {
    this.#discardLook(row.id)
    for (const listener of this.#listeners)
      if (relationOf(listener.caller, row)) listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
  }

  /** An admin sees it all the same. */
  #unshared(row: AgentRow, userId: string): void {
    this.#discardLook(row.id)
    for (const listener of this.#listeners)
      if (listener.caller.userId === userId && listener.caller.role !== 'admin')
        listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
    this.#agentChanged(row.id)
  }

  #discardLook(agentId: string): void {
    const look = this.#busy.get(agentId)
    if (look) look.stale = true
  }

  #revoked(revocation: Revocation): void {
    for (const listener of [...this.#listeners]) {
      if (!concerns(revocation, listener.caller)) continue
      // Before its socket is closed, which takes a while.
      this.#listeners.delete(listener)
      listener.revoke(sentenceFor(revocation))
    }
  }
}
