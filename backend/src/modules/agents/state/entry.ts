/** What the board holds of one agent, and how events change it: pure functions without the board's clock and signal. */
import type { StateReason } from '@slipway/protocol'
import type { ContainerInfo, RuntimeEvent } from '../../../runtime/port.ts'
import { type Facts, isOrderly, NO_HOME, reasonForExit } from './state.ts'

/** An event about one container. */
export type ContainerEvent = Extract<RuntimeEvent, { agentId: string }>

export interface Entry extends Omit<Facts, 'engineUp'> {
  /** When the shown state last changed, in milliseconds since 1970. */
  readonly since: number
  readonly lastOomAt: number
  /** Events during an operation; they are applied when it ends. */
  readonly pending: readonly ContainerEvent[]
  /** The board's revision when its last operation ended. */
  readonly revision: number
}

/**
 * Longest time between a memory kill and the container's end, in either order, for the kill to be the cause, in
 * milliseconds.
 */
const OOM_WINDOW_MS = 10_000

const NEVER = Number.NEGATIVE_INFINITY

const REMOVED: StateReason = {
  code: 'removed',
  message: 'The container was removed from outside. Select Start to create it again. The home is kept.',
}

const removed = (hasHome: boolean): StateReason => (hasHome ? REMOVED : NO_HOME)

/** The entry of an agent with an unknown container. */
export const newEntry = (now: number): Entry => ({
  operation: null,
  container: null,
  failure: null,
  note: null,
  hasHome: true,
  since: now,
  lastOomAt: NEVER,
  pending: [],
  revision: 0,
})

/** Applies the engine's answer: the agent's container, or null if it has none, and whether it has a home. */
export const found = (entry: Entry, container: ContainerInfo | null, hasHome: boolean): Entry => {
  if (!container) {
    return { ...entry, container: null, hasHome, failure: entry.container ? removed(hasHome) : entry.failure }
  }
  if (container.running) return { ...entry, container, failure: null, note: null }
  const { exitCode, oomKilled } = container
  const wasKnown = entry.container !== null
  const ranBefore = entry.container?.running === true
  // It ended unobserved. If it ended before the backend's start and in an orderly way, a user may have asked for that.
  const isNews = exitCode !== null && (ranBefore || (!wasKnown && !isOrderly(exitCode)))
  return { ...entry, container, ...(isNews ? reasonForExit(exitCode, oomKilled) : {}) }
}

/** Applies an event of the agent's container. Events of other containers, such as an earlier one, change nothing. */
export const afterEvent = (entry: Entry, event: ContainerEvent, now: number): Entry => {
  const { container } = entry
  if (container?.id !== event.containerId) return entry
  switch (event.type) {
    case 'started':
      // A memory kill in an earlier run does not explain the end of this one.
      return { ...entry, container: { ...container, running: true }, failure: null, note: null, lastOomAt: NEVER }
    case 'oom':
      return { ...entry, lastOomAt: now, ...(endedJustNow(entry, now) ? reasonForExit(KILLED, true) : {}) }
    case 'died': {
      if (!container.running) return entry
      const outOfMemory = now - entry.lastOomAt < OOM_WINDOW_MS
      return { ...entry, container: { ...container, running: false }, ...reasonForExit(event.exitCode, outOfMemory) }
    }
    case 'removed':
      return { ...entry, container: null, failure: removed(entry.hasHome) }
  }
}

/** 128 + SIGKILL. */
const KILLED = 137

/** The engine may report the memory kill after the end that it caused. */
const endedJustNow = (entry: Entry, now: number): boolean =>
  entry.container?.running === false && entry.failure?.exitCode === KILLED && now - entry.since < OOM_WINDOW_MS
