/** Further events about an agent for open pages, besides the agent itself. */
import type { PlatformEvent, Relation } from '@slipway/protocol'
import type { Signal } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import type { AgentRow } from '../rows.ts'

/** One event for every user who may see an agent. */
export interface AgentNews {
  readonly agentId: string
  readonly event: PlatformEvent
  /** The event as one user sees it. Absent: all see the same. */
  eventFor?(caller: Caller): PlatformEvent
  /** Whether a user with this relation to the agent gets it. Absent: every user who may see the agent. */
  may?(caller: Caller, relation: Relation): boolean
}

/** A page that listens, as a module talks to it. */
export interface Page {
  readonly caller: Caller
  send(event: PlatformEvent): void
  /**
   * The same for a long sequence of events, which must not fill the memory: it waits while the page takes what was sent
   * before. Resolves when the next event may follow, or the page is gone.
   */
  deliver(event: PlatformEvent): Promise<void>
}

/** What a module does with the messages of pages. */
export interface Correspondent {
  /** For each page. Call `close` when the page is gone. */
  open(page: Page): { receive(message: unknown): void; close(): void }
}

/** One kind of event about agents, which a module adds to `WS /api/events`. */
export interface Topic {
  /** Emits the id of an agent whose event changed. A burst becomes one event. */
  readonly changed: Pick<Signal<string>, 'on'>
  /** The ids of the agents whose event a page gets when it connects. For all other agents it starts empty. */
  current(): readonly string[]
  /** The current event, for every user who may see the agent. */
  event(agent: AgentRow): PlatformEvent
}
