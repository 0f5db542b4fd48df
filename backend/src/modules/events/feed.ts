/** Tells open pages what changed: each of them only what its user may see. */
import type { Agent, LiveSession, PlatformEvent } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { AgentRepository } from '../agents/repository.ts'
import { type AgentRow, relationOf } from '../agents/rows.ts'
import type { AgentService, AgentSignals } from '../agents/service.ts'
import type { Caller } from '../identity/caller.ts'
import type { Revocation } from '../identity/revocations.ts'

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

export class EventFeed {
  readonly #parts: Parts
  readonly #listeners = new Set<Listener>()
  readonly #subscriptions: (() => void)[]
  /** Agents whose change is being looked up: further changes meanwhile are one more look, not a queue. */
  readonly #busy = new Map<string, { again: boolean }>()

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

  add(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  close(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    this.#listeners.clear()
  }

  #agentChanged(agentId: string): void {
    if (this.#listeners.size === 0) return
    const busy = this.#busy.get(agentId)
    if (busy) {
      busy.again = true
      return
    }
    const state = { again: false }
    this.#busy.set(agentId, state)
    void this.#tell(agentId)
      .catch((error: unknown) => this.#parts.log.error({ agentId, err: error }, 'a change could not be told'))
      .finally(() => {
        this.#busy.delete(agentId)
        if (state.again) this.#agentChanged(agentId)
      })
  }

  async #tell(agentId: string): Promise<void> {
    const { repository, agents, sessions } = this.#parts
    const row = await repository.byId(agentId)
    if (!row) return
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
    for (const listener of this.#listeners)
      if (relationOf(listener.caller, row)) listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
  }

  /** An admin sees it all the same. */
  #unshared(row: AgentRow, userId: string): void {
    for (const listener of this.#listeners)
      if (listener.caller.userId === userId && listener.caller.role !== 'admin')
        listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
    this.#agentChanged(row.id)
  }

  #revoked(revocation: Revocation): void {
    for (const listener of [...this.#listeners]) {
      const { via, userId } = listener.caller
      const isMeant =
        (revocation.kind === 'sign_in' && via.kind === 'sign_in' && via.signInId === revocation.signInId) ||
        (revocation.kind === 'api_token' && via.kind === 'api_token' && via.tokenId === revocation.tokenId) ||
        (revocation.kind === 'user' && userId === revocation.userId)
      if (isMeant) listener.revoke('Your access changed. Sign in again.')
    }
  }
}
