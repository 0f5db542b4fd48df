/** What the agents tell the modules that hold connections or programs of them. */
import { Signal } from '../../../lib/emitter.ts'
import type { Caller } from '../../identity/caller.ts'
import type { AgentRow } from '../rows.ts'

/** A revoked share: when it began, and who revoked it. */
export interface Unshared {
  readonly row: AgentRow
  readonly userId: string
  readonly sharedAt: Date
  readonly caller: Caller
}

/** Signals to modules that hold connections or programs of an agent. */
export interface AgentSignals {
  /** The settings or the shares changed. */
  readonly changed: Signal<string>
  /** Something happened in it, once a minute at most; another branch was seen; or another number of tasks works in it. */
  readonly active: Signal<string>
  readonly deleted: Signal<{ readonly row: AgentRow }>
  /** An agent was created that begins with a repository, a set-up command or a task. */
  readonly begins: Signal<string>
  /** The agent was shared with another user. */
  readonly shared: Signal<{ readonly row: AgentRow }>
  /** A share was revoked. */
  readonly unshared: Signal<Unshared>
  /** The container is about to be stopped or removed; terminals end first. */
  readonly closing: Signal<{ readonly row: AgentRow; readonly because: 'agent_deleted' | 'container_stopped' }>
}

export const createAgentSignals = (onError: (error: unknown) => void): AgentSignals => ({
  changed: new Signal(onError),
  active: new Signal(onError),
  deleted: new Signal(onError),
  begins: new Signal(onError),
  shared: new Signal(onError),
  unshared: new Signal(onError),
  closing: new Signal(onError),
})
