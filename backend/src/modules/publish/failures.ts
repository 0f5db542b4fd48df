/** The exit codes of the script as errors for the user. */
import { AppError } from '../../lib/errors.ts'
import { lockLeft } from '../git/failures.ts'
import { EXIT } from './program.ts'

const wrongState = (message: string): AppError => new AppError('WRONG_STATE', message)

/** Why the script failed; null: it did not end in time. `said` is what the remote said, or the script. */
export const failureOf = (exitCode: number | null, said: string): AppError => {
  switch (exitCode) {
    case EXIT.noWorkTree:
      return wrongState('The folder of this task is in no git work tree.')
    case EXIT.tooMany:
    case EXIT.tooLarge:
      return wrongState('The changes are too large to commit here. Commit them in a terminal.')
    case EXIT.moved:
      return new AppError('CHANGES_CONFLICT', 'The branch has moved meanwhile. Look again, then decide again.')
    case EXIT.active:
      return wrongState('A task is at work in this folder. Wait for its end, or stop it.')
    case EXIT.unfinished:
      return wrongState('Git is in the middle of a merge or a rebase here. Finish or abort it in a terminal.')
    case EXIT.locked:
      return wrongState('Another git command is at work here. If there is none, remove index.lock in a terminal.')
    case EXIT.filtered:
      return wrongState('A changed file has a git filter, such as Git LFS. Commit it in a terminal.')
    case EXIT.branchTaken:
      return new AppError('BRANCH_TAKEN', 'There is a branch of this name, or one is in its way. Choose another name.')
    case EXIT.noRemote:
      return wrongState('The repository has no remote, or one that is neither https, ssh nor a folder.')
    case EXIT.refused:
      return new AppError('REMOTE_REFUSED', `The push failed. Git said: ${said || 'nothing'}`)
    case EXIT.behind:
      return new AppError(
        'REMOTE_REFUSED',
        'The branch on the remote has commits that are not here. Pull them in a terminal, or choose another branch.',
      )
    case EXIT.unwritable:
      return wrongState('The repository cannot be written. Make space on the disk or change the permissions.')
    case EXIT.lockLeft:
      return wrongState(lockLeft(said))
    case EXIT.nothing:
      return wrongState('There is nothing to commit.')
    case EXIT.late:
    case EXIT.timeout:
    case null:
      return wrongState('Git took too long.')
    default:
      return wrongState('Git could not read or change the repository.')
  }
}
