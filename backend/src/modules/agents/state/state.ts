/** What state an agent is in: one pure function of what is known about it. */
import type { Agent, StateReason } from '@slipway/protocol'

type State = Agent['state']

/** What the platform is doing to an agent right now. */
export type Operation = Extract<State, 'creating' | 'starting' | 'stopping' | 'deleting'>

export interface Facts {
  /** Null while nothing is being done. */
  readonly operation: Operation | null
  /** Null where there is no container. */
  readonly container: {
    readonly id: string
    readonly running: boolean
    readonly fingerprint: string
    readonly startedAt: Date | null
  } | null
  /** Why it is not running, where that was not asked for. */
  readonly failure: StateReason | null
  /** How it stopped, where that is worth telling but no failure. */
  readonly note: StateReason | null
  /** Whether the engine answers. */
  readonly engineUp: boolean
}

export const ENGINE_DOWN: StateReason = {
  code: 'engine_unavailable',
  message: 'The container engine does not answer. The state is shown again as soon as it does.',
}

/** Neither made yet nor left from before: as after a backend that was killed at the wrong moment. */
const NO_CONTAINER: StateReason = {
  code: 'removed',
  message: 'It has no container. Start makes one; what is in its home is kept.',
}

/** What people see of an agent. */
export interface Shown {
  readonly state: State
  readonly reason: StateReason | null
}

export const stateOf = (facts: Facts): Shown => {
  if (facts.operation) return { state: facts.operation, reason: null }
  if (!facts.engineUp) return { state: 'failed', reason: ENGINE_DOWN }
  if (facts.container?.running) return { state: 'running', reason: null }
  if (facts.failure) return { state: 'failed', reason: facts.failure }
  return { state: 'stopped', reason: facts.note ?? (facts.container ? null : NO_CONTAINER) }
}

/** 128 + SIGKILL. */
const KILLED = 137
/** 0 and 128 + SIGTERM: what a container that was asked to stop exits with. */
const ORDERLY = [0, 143]

export const isOrderly = (exitCode: number): boolean => ORDERLY.includes(exitCode)

/** The reason for a container's end that nobody here asked for. */
export const reasonForExit = (exitCode: number, outOfMemory: boolean): Pick<Facts, 'failure' | 'note'> => {
  if (exitCode === KILLED && outOfMemory)
    return {
      failure: {
        code: 'out_of_memory',
        message: 'It used up its memory and was ended. Give it more in the settings, then start it again.',
        exitCode,
      },
      note: null,
    }
  if (isOrderly(exitCode))
    return {
      failure: null,
      note: { code: 'exited', message: `It was stopped from outside (exit code ${exitCode}).`, exitCode },
    }
  const how = exitCode === KILLED ? 'was killed' : 'ended by itself'
  return { failure: { code: 'exited', message: `Its container ${how} (exit code ${exitCode}).`, exitCode }, note: null }
}
