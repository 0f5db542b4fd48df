import type { CodingResult, Schedule } from '@slipway/protocol'
import type { Shape } from '../agents/agentState.ts'

type LastRun = NonNullable<Schedule['lastRun']>
type State = LastRun['state']

const WORDS: Record<State, string> = {
  queued: 'In line',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Waiting for its usage limit',
  completed: 'Completed',
  failed: 'Failed',
  terminated: 'Stopped',
}
const SHAPES: Record<State, Shape> = {
  queued: 'stopped',
  starting: 'starting',
  running: 'starting',
  waiting: 'needs-you',
  completed: 'running',
  failed: 'failed',
  terminated: 'stopped',
}

export const runWord = (state: State): string => WORDS[state]
export const runShape = (state: State): Shape => SHAPES[state]

/** The reasons of a task that was ended from outside. */
const FROM_OUTSIDE: readonly CodingResult['reason'][] = ['terminated', 'access_revoked', 'agent_deleted']

/** The state in which a task has ended. */
export function stateOf({ success, reason }: Pick<CodingResult, 'success' | 'reason'>): State {
  if (success) return 'completed'
  return FROM_OUTSIDE.includes(reason) ? 'terminated' : 'failed'
}

/** A reason as words: "not signed in". Empty where the state says all. */
export const reasonWords = ({ state, reason }: Pick<LastRun, 'state' | 'reason'>): string =>
  reason === null || reason === state ? '' : reason.replaceAll('_', ' ')
