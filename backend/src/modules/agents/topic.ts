/** What open pages are told of an agent besides the agent itself. */
import type { PlatformEvent } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import type { AgentRow } from './rows.ts'

/** One kind of event about agents, which a module adds to `WS /api/events`. */
export interface Topic {
  /** Emits the id of an agent when its event has other contents. A burst is told as one event. */
  readonly changed: Pick<Signal<string>, 'on'>
  /** The ids of the agents whose event a page gets when it connects; the page assumes nothing of all others. */
  current(): readonly string[]
  /** The event as it is now, for everyone who may see the agent. */
  event(agent: AgentRow): PlatformEvent
}
