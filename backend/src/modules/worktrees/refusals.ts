/** Why a run or a user is refused a worktree. */
import { restoreCommand, WORKTREE_WAS_REMOVED } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { nameOf } from './program.ts'
import type { WorktreeRow } from './repository.ts'

export const refused = (what: string, why: string): AppError => new AppError('NO_WORKTREE', `${what}: ${why}.`)

/** Says how the run can go on. */
export const wasRemoved = (row: WorktreeRow): AppError => {
  const lost = `${WORKTREE_WAS_REMOVED}: ${nameOf(row.path)}. `
  const back =
    row.salvage === null
      ? ''
      : `What was in it is in ${row.salvage}. To bring it back, run \`${restoreCommand(row, row.salvage)}\` in a terminal of the agent. `
  return new AppError('NO_WORKTREE', `${lost}${back}To work elsewhere, begin a new task or conversation.`)
}

export const inUse = (): AppError =>
  new AppError('WORKTREE_IN_USE', 'A task, a terminal or another program works in this worktree. End it first.')
