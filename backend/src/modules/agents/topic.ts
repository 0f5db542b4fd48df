/** Further events about an agent for open pages, besides the agent itself. */
import type { PlatformEvent } from '@slipway/protocol'
import type { Signal } from '../../lib/emitter.ts'
import type { AgentRow } from './rows.ts'

/** One kind of event about agents, which a module adds to `WS /api/events`. */
export interface Topic {
  /** Emits the id of an agent whose event changed. A burst becomes one event. */
  readonly changed: Pick<Signal<string>, 'on'>
  /** The ids of the agents whose event a page gets when it connects. For all other agents it starts empty. */
  current(): readonly string[]
  /** The current event, for every user who may see the agent. */
  event(agent: AgentRow): PlatformEvent
}
