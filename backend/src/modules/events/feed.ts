/** Sends changes to open pages: each page gets only what its user may see. */
import type { PlatformEvent } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import type { Log } from '../../lib/log.ts'
import type { Loss } from '../access/loss.ts'
import { Open } from '../access/open.ts'
import { allows } from '../access/policy.ts'
import type { AgentRepository } from '../agents/repository.ts'
import { type AgentRow, relationOf } from '../agents/rows.ts'
import type { AgentService } from '../agents/service.ts'
import type { AgentSignals } from '../agents/news/signals.ts'
import type { AgentNews, Topic } from '../agents/news/topic.ts'
import type { Caller } from '../identity/caller.ts'
import { sentenceFor } from '../identity/revocations.ts'

/** A page that listens. */
export interface Listener {
  readonly caller: Caller
  send(event: PlatformEvent): void
  /** The caller lost the right to listen. */
  revoke(message: string): void
}

/** Belongs to no agent. */
type OpenListener = Listener & { readonly row: null; readonly relation: null }

interface Parts {
  readonly repository: AgentRepository
  readonly agents: AgentService
  readonly signals: AgentSignals
  readonly stateChanged: Signal<string>
  readonly topics: readonly Topic[]
  readonly news: readonly Pick<Signal<AgentNews>, 'on'>[]
  readonly losses: Pick<Signal<Loss>, 'on' | 'since'>
  readonly log: Log
}

/** A look at a changed agent. All changes during a look cause one more look, so there is no queue. */
interface Look {
  /** The changes to send after this look. */
  next: Changed | null
  /** A user lost the agent during the look. The row that it finds may still include that user, so it sends nothing. */
  stale: boolean
}

/** What changed: some topics, or the agent itself, which includes every topic. */
type Changed = ReadonlySet<Topic> | 'agent'

export class EventFeed {
  readonly #parts: Parts
  readonly #open: Open<OpenListener>
  readonly #subscriptions: (() => void)[]
  /** Settles when all news so far are told. */
  #told: Promise<void> = Promise.resolve()
  /** The agents with a look in progress. */
  readonly #busy = new Map<string, Look>()

  constructor(parts: Parts) {
    this.#parts = parts
    const { signals, stateChanged, topics, news, losses } = parts
    this.#open = new Open(losses)
    this.#subscriptions = [
      stateChanged.on((agentId) => this.#changed(agentId, 'agent')),
      signals.changed.on((agentId) => this.#changed(agentId, 'agent')),
      signals.active.on((agentId) => this.#changed(agentId, 'agent')),
      ...topics.map((topic) => topic.changed.on((agentId) => this.#changed(agentId, new Set([topic])))),
      ...news.map((one) => one.on((told) => this.#news(told))),
      signals.deleted.on(({ row }) => this.#deleted(row)),
      signals.unshared.on(({ row, userId }) => this.#unshared(row, userId)),
    ]
  }

  /**
   * Admits the caller that `authenticate` finds, with a listener from `listenerFor`. The listener gets events until
   * `leave` is called. Null if there is no caller, or if the caller lost the right meanwhile.
   */
  async admit(
    authenticate: () => Promise<Caller | null>,
    listenerFor: (caller: Caller) => Listener,
  ): Promise<{ readonly caller: Caller; leave(): void } | null> {
    const arrival = this.#open.arrive()
    const caller = await authenticate()
    if (!caller) return null
    const listener: OpenListener = { ...withinScope(listenerFor(caller)), row: null, relation: null }
    if (this.#open.enter(listener, (loss) => this.#lost(listener, loss), arrival)) return null
    this.#greet(listener).catch((error: unknown) =>
      this.#parts.log.error({ err: error }, 'open sessions could not be told'),
    )
    return { caller, leave: () => this.#open.leave(listener) }
  }

  /** The users who listen now. */
  callers(): Caller[] {
    return this.#open.callers()
  }

  close(): void {
    for (const unsubscribe of this.#subscriptions) unsubscribe()
    for (const listener of this.#open.all()) this.#open.leave(listener)
  }

  /** Sends the current state of each topic; changes follow. */
  async #greet(listener: OpenListener): Promise<void> {
    const current = this.#parts.topics.map((topic) => [topic, topic.current()] as const)
    const ids = [...new Set(current.flatMap(([, agentIds]) => agentIds))]
    if (ids.length === 0) return
    for (const row of await this.#parts.repository.byIds(ids))
      for (const [topic, agentIds] of current)
        if (agentIds.includes(row.id) && this.#open.has(listener) && relationOf(listener.caller, row))
          listener.send(topic.event(row))
  }

  #changed(agentId: string, changed: Changed): void {
    if (this.#open.size === 0) return
    const busy = this.#busy.get(agentId)
    if (busy) {
      busy.next = together(busy.next, changed)
      return
    }
    const look: Look = { next: null, stale: false }
    this.#busy.set(agentId, look)
    void this.#tell(agentId, changed, look)
      .catch((error: unknown) => this.#parts.log.error({ agentId, err: error }, 'a change could not be told'))
      .finally(() => {
        this.#busy.delete(agentId)
        const next = look.stale ? 'agent' : look.next
        if (next !== null) this.#changed(agentId, next)
      })
  }

  async #tell(agentId: string, changed: Changed, look: Look): Promise<void> {
    const { repository, agents, topics } = this.#parts
    const row = await repository.byId(agentId)
    if (!row || look.stale) return
    const events = (changed === 'agent' ? topics : [...changed]).map((topic) => topic.event(row))
    for (const listener of this.#open.all()) {
      const relation = relationOf(listener.caller, row)
      if (!relation) continue
      if (changed === 'agent') listener.send({ type: 'agent', agent: agents.view({ row, relation }) })
      for (const event of events) listener.send(event)
    }
  }

  /** One after the other, so that each page gets the news in their order. */
  #news({ agentId, event, eventFor, may }: AgentNews): void {
    if (this.#open.size === 0) return
    this.#told = this.#told
      .then(async () => {
        const row = await this.#parts.repository.byId(agentId)
        if (!row) return
        for (const listener of this.#open.all()) {
          const relation = relationOf(listener.caller, row)
          if (relation && (may?.(listener.caller, relation) ?? true))
            listener.send(eventFor?.(listener.caller) ?? event)
        }
      })
      .catch((error: unknown) => this.#parts.log.error({ agentId, err: error }, 'news could not be told'))
  }

  /** Goes to those who could see the agent until now. */
  #deleted(row: AgentRow): void {
    this.#discardLook(row.id)
    for (const listener of this.#open.all())
      if (relationOf(listener.caller, row)) listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
  }

  /** An admin still sees the agent. */
  #unshared(row: AgentRow, userId: string): void {
    this.#discardLook(row.id)
    for (const listener of this.#open.all())
      if (listener.caller.userId === userId && listener.caller.role !== 'admin')
        listener.send({ type: 'agent_removed', agentId: row.id, name: row.name })
    this.#changed(row.id, 'agent')
  }

  #discardLook(agentId: string): void {
    const look = this.#busy.get(agentId)
    if (look) look.stale = true
  }

  #lost(listener: OpenListener, loss: Loss): void {
    // Only a loss of the account itself ends a listener, which belongs to no agent.
    if (loss.kind !== 'revoked') return
    // At once: closing the socket takes a while.
    this.#open.leave(listener)
    listener.revoke(sentenceFor(loss.revocation))
  }
}

/** The same listener, with as much as its scope allows: without `agents:read`, only the events of tasks. */
const withinScope = (listener: Listener): Listener =>
  allows(listener.caller, 'agent.view')
    ? listener
    : { ...listener, send: (event) => void (isOfTask(event) && listener.send(event)) }

const isOfTask = ({ type }: PlatformEvent): boolean => type.startsWith('coding-agent:')

const together = (one: Changed | null, other: Changed): Changed =>
  one === 'agent' || other === 'agent' ? 'agent' : new Set([...(one ?? []), ...other])
