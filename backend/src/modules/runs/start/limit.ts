/** How many runs there may be. */
import { RUNS_PER_USER } from '@slipway/protocol'
import { AppError } from '../../../lib/errors.ts'
import type { ProgramLimit } from '../../sessions/programs.ts'

/** The maximum in one agent, and on this server. */
interface Limits {
  readonly maxTasks: number
  readonly maxTasksPerAgent: number
}

/** Refuses one more with `TOO_MANY_TASKS`. */
export const taskLimit =
  ({ maxTasks, maxTasksPerAgent }: Limits): ProgramLimit =>
  ({ ofUser, inAgent, all }) => {
    const what =
      ofUser >= RUNS_PER_USER
        ? `You have ${RUNS_PER_USER} active tasks`
        : inAgent >= maxTasksPerAgent
          ? `This agent has ${maxTasksPerAgent} active tasks`
          : all >= maxTasks
            ? `This server has ${maxTasks} active tasks`
            : null
    const then = 'the maximum. Wait for one to end, end one, or let this one wait in line with "queue": true.'
    return what === null ? null : new AppError('TOO_MANY_TASKS', `${what}, ${then}`)
  }
