/** An agent's state as a pure function of the facts about it. */
import { STATE_NOT_KNOWN, type Agent, type StateReason } from '@slipway/protocol'

type State = Agent['state']

/** The operation in progress on an agent. */
export type Operation = Extract<State, 'creating' | 'starting' | 'stopping' | 'deleting'>

export interface Facts {
  /** Null if no operation is in progress. */
  readonly operation: Operation | null
  /** Null if there is no container. */
  readonly container: {
    readonly id: string
    readonly running: boolean
    readonly fingerprint: string
    readonly startedAt: Date | null
  } | null
  /** Why it does not run, if no user asked for that. */
  readonly failure: StateReason | null
  /** A remark about its stop that is not a failure. */
  readonly note: StateReason | null
  /** Whether it has a home. Matters only without a container, which cannot be without one. */
  readonly hasHome: boolean
  /** Whether the engine answers. */
  readonly engineUp: boolean
}

export const ENGINE_DOWN: StateReason = { code: 'engine_unavailable', message: STATE_NOT_KNOWN }

/** The container is missing, for example because the backend was killed while creating it. */
const NO_CONTAINER: StateReason = {
  code: 'removed',
  message: 'The container is missing. Select Start to create it. The home is kept.',
}

/** Its deletion was cut off, for example because the backend was killed, or its creation was. */
export const NO_HOME: StateReason = {
  code: 'removed',
  message:
    'The container and the home are missing. Select Start to create both, with an empty home, or delete the agent.',
}

/** What users see of an agent. */
export interface Shown {
  readonly state: State
  readonly reason: StateReason | null
}

export const stateOf = (facts: Facts): Shown => {
  if (facts.operation) return { state: facts.operation, reason: null }
  if (!facts.engineUp) return { state: 'failed', reason: ENGINE_DOWN }
  if (facts.container?.running) return { state: 'running', reason: null }
  if (facts.failure) return { state: 'failed', reason: facts.failure }
  if (facts.note || facts.container) return { state: 'stopped', reason: facts.note }
  return { state: 'stopped', reason: facts.hasHome ? NO_CONTAINER : NO_HOME }
}

/** 128 + SIGKILL. */
const KILLED = 137
/** 0 and 128 + SIGTERM: the exit codes of a container that was asked to stop. */
const ORDERLY = [0, 143]

export const isOrderly = (exitCode: number): boolean => ORDERLY.includes(exitCode)

/** The reason for an end of the container that no user asked for. */
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
