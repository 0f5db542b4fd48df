/** What the board holds of one agent, and what becomes of it: pure functions, without the board's clock and signal. */
import type { StateReason } from '@slipway/protocol'
import type { ContainerInfo, RuntimeEvent } from '../../../runtime/port.ts'
import { type Facts, isOrderly, reasonForExit } from './state.ts'

/** An event about one container. */
export type ContainerEvent = Extract<RuntimeEvent, { agentId: string }>

export interface Entry extends Omit<Facts, 'engineUp'> {
  /** When what is shown last changed, in milliseconds since 1970. */
  readonly since: number
  readonly lastOomAt: number
  /** What happened while an operation was under way; it counts when that is over. */
  readonly pending: readonly ContainerEvent[]
  /** The board's revision at its last operation's end. */
  readonly revision: number
}

/** How long after a memory kill the container's end is put down to it, and the other way round, in milliseconds. */
const OOM_WINDOW_MS = 10_000

const NEVER = Number.NEGATIVE_INFINITY

const REMOVED: StateReason = {
  code: 'removed',
  message: 'Its container was removed from outside. Start makes a new one; the home is kept.',
}

/** Of an agent of which nothing is known yet. */
export const newEntry = (now: number): Entry => ({
  operation: null,
  container: null,
  failure: null,
  note: null,
  since: now,
  lastOomAt: NEVER,
  pending: [],
  revision: 0,
})

/** The engine was asked: this is the agent's container, or it has none. */
export const found = (entry: Entry, container: ContainerInfo | null): Entry => {
  if (!container) return { ...entry, container: null, failure: entry.container ? REMOVED : entry.failure }
  if (container.running) return { ...entry, container, failure: null, note: null }
  const { exitCode, oomKilled } = container
  const wasKnown = entry.container !== null
  const ranBefore = entry.container?.running === true
  // It ended while nobody looked. Before the backend's start that may have been asked for, where it ended in order.
  const isNews = exitCode !== null && (ranBefore || (!wasKnown && !isOrderly(exitCode)))
  return { ...entry, container, ...(isNews ? reasonForExit(exitCode, oomKilled) : {}) }
}

/** An event about the agent's container; about another one, such as an earlier one of its, nothing changes. */
export const afterEvent = (entry: Entry, event: ContainerEvent, now: number): Entry => {
  const { container } = entry
  if (container?.id !== event.containerId) return entry
  switch (event.type) {
    case 'started':
      // A new life: a memory kill in the one before does not explain its end.
      return { ...entry, container: { ...container, running: true }, failure: null, note: null, lastOomAt: NEVER }
    case 'oom':
      return { ...entry, lastOomAt: now, ...(endedJustNow(entry, now) ? reasonForExit(KILLED, true) : {}) }
    case 'died': {
      if (!container.running) return entry
      const outOfMemory = now - entry.lastOomAt < OOM_WINDOW_MS
      return { ...entry, container: { ...container, running: false }, ...reasonForExit(event.exitCode, outOfMemory) }
    }
    case 'removed':
      return { ...entry, container: null, failure: REMOVED }
  }
}

/** 128 + SIGKILL. */
const KILLED = 137

/** The memory kill may be told after the end that it caused. */
const endedJustNow = (entry: Entry, now: number): boolean =>
  entry.container?.running === false && entry.failure?.exitCode === KILLED && now - entry.since < OOM_WINDOW_MS
