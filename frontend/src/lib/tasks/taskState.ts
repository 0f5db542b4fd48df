import type { CodingSession, RunState } from '@slipway/protocol'

const WORDS: Record<RunState, string> = {
  queued: 'Queued',
  starting: 'Starting',
  running: 'Running',
  waiting: 'Waiting',
  completed: 'Completed',
  failed: 'Failed',
  terminated: 'Stopped',
}

export type WaitsFor = CodingSession['waitsFor']

/** Whether people have to answer before the task goes on. */
export const isAsking = (state: RunState, waitsFor: WaitsFor): boolean => state === 'waiting' && waitsFor === 'person'

/** `isMine`: whether the task is the reader's own. */
export function taskWord(state: RunState, waitsFor: WaitsFor = null, isMine = true): string {
  if (!isAsking(state, waitsFor)) return WORDS[state]
  return isMine ? 'Waiting for you' : 'Waiting for an answer'
}

/** Why a task has ended, in a few words: "not signed in". Empty where the state says all. */
export const reasonWords = ({ state, reason }: Pick<CodingSession, 'state' | 'reason'>): string =>
  reason === null || reason === state ? '' : reason.replaceAll('_', ' ')

/** A reason alone: "Not signed in". */
export const reasonName = (reason: NonNullable<CodingSession['reason']>): string =>
  `${reason.charAt(0).toUpperCase()}${reason.slice(1).replaceAll('_', ' ')}`

/** Whether the task can still change. */
export const isActive = (state: RunState): boolean =>
  state === 'queued' || state === 'starting' || state === 'running' || state === 'waiting'

/** The sentence under the state: why it waits, or why it has ended. Null where the state says all. */
export function reasonOf(
  task: Pick<CodingSession, 'state' | 'waitsFor' | 'error' | 'reason' | 'continuesAt'>,
): string | null {
  if (task.state === 'queued')
    return task.continuesAt === null
      ? 'In line. It starts when there is a place, its agent runs, and its conversation is free.'
      : 'Its start failed. It is tried again soon.'
  // The question itself is in sight.
  if (isAsking(task.state, task.waitsFor)) return null
  if (task.state === 'waiting')
    return 'The account has reached its usage limit. The task continues when the limit ends.'
  if (task.reason === 'finished_without_exit') return 'The CLI printed its result, and had to be ended.'
  return task.error
}
