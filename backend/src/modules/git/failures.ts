/** The exit codes of the scripts as errors for the user. */
import { AppError } from '../../lib/errors.ts'

const refused = (message: string): AppError => new AppError('GIT_REFUSED', message)
const late = (): AppError =>
  refused('Git took too long. The repository may be too large for this page: use git in a terminal.')

/** The exit code for files that are too large together. Their size is in the error output. */
export const TOO_LARGE = 23

const FAILURES: Readonly<Record<number, () => AppError>> = {
  20: () => new AppError('NO_REPOSITORY', 'There is no git work tree in this folder of the home.'),
  [TOO_LARGE]: () => refused('The files are too large to do this here: more than 128 MiB. Use git in a terminal.'),
  24: late,
  25: () => refused('This cannot be done here: it is another repository, a binary file, or not a file at all.'),
  26: () => new AppError('CHANGES_CONFLICT', 'It has changed meanwhile. Look again, then decide again.'),
  30: () =>
    refused('Git is in the middle of a merge or a rebase here, or has conflicts. Finish or abort it in a terminal.'),
  31: () => refused('Another git command is at work here. If there is none, remove index.lock in a terminal.'),
  32: () =>
    refused(
      'A file has a git filter, such as Git LFS, which does not run. Let the hooks and filters of the repository run, or do this in a terminal.',
    ),
  33: () => new AppError('BRANCH_TAKEN', 'There is a branch of this name, or one is in its way. Choose another name.'),
  34: () => refused('This branch is checked out in another work tree.'),
  37: () => refused('Nothing is staged. Stage the files that the commit is to have.'),
  38: () => refused('The index of this repository is too large to read here: more than 256 MiB.'),
  39: () => refused('The branch follows no branch of a remote. Push it first, or choose one in a terminal.'),
  40: () =>
    refused('The branch and the one that it follows have both moved on. Merge or rebase in a terminal, then push.'),
  42: () => new AppError('CHANGES_CONFLICT', 'It does not exist any more. Look again.'),
  43: () => refused('Files that are changed here are in the way. Commit, discard or stash them first.'),
  44: () => refused('A remote has this commit already. Make another one, because those who have it keep it.'),
  45: () => refused('The message of this commit is too long to change it here. Use git in a terminal.'),
  46: () => refused('There is no commit yet, so nothing can be put aside.'),
  47: () => refused('Nothing has changed, so there is nothing to put aside.'),
  48: () => refused('A file has a git filter, such as Git LFS, which does not run here. Do this in a terminal.'),
  49: () =>
    refused(
      'Some files could not be written. The stash holds all changes: look in a terminal what keeps git from writing, then apply it.',
    ),
  124: late,
  127: () => refused('There is no git in this agent. Install it, or use an image that has it.'),
  // Of a program that was killed.
  137: late,
}

/** Why a script did not do its work. */
export const failureOf = (exitCode: number): AppError =>
  FAILURES[exitCode]?.() ?? refused('Git could not read or change this repository. Try `git status` in a terminal.')
