/** The exit codes of the scripts as errors for the user. */
import { AppError } from '../../lib/errors.ts'
import { WRITE_SECONDS } from './program.ts'

const refused = (message: string): AppError => new AppError('GIT_REFUSED', message)
const unwritten = (message: string): AppError => new AppError('FILES_NOT_WRITTEN', message)
const late = (): AppError =>
  refused('Git took too long. The repository may be too large for this page: use git in a terminal.')

/** The exit code for files that are too large together. Their size is in the error output. */
export const TOO_LARGE = 23

/** What git said of a failure, as a sentence. */
const saidBy = (said: string): string => (said === '' ? '' : ` Git said: ${said.replaceAll(/\s*\n\s*/g, '; ')}`)
const MEND = 'Make space on the disk or change the permissions'

/** For a lock of the index that a killed program left. */
export const lockLeft = (path: string): string =>
  `A git that was killed has left the lock ${path}. No git is at work there any more. Remove the lock in a terminal, then look at \`git status\`: some files may be half written.`

/** By exit code, with the error output. */
const FAILURES: Readonly<Record<number, (said: string) => AppError>> = {
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
  49: (said) => {
    const { head, words } = partsOf(said)
    return unwritten(
      `Some files could not be written. The stash holds all changes, and HEAD is still on ${head}: ${MEND}, run \`git reset --hard\` in a terminal and remove its untracked files, then apply it.${words}`,
    )
  },
  50: (said) =>
    refused(`Git could not write all files, so nothing has changed. ${MEND}, then try again.${saidBy(said)}`),
  51: (said) => {
    const { head, words } = partsOf(said)
    return unwritten(
      `Git could neither write all files nor put them back. HEAD is still on ${head}, and the index is as it was, but files are missing or changed: \`git status\` in a terminal lists them. ${MEND}, then \`git restore <file>\` brings a file back.${words}`,
    )
  },
  52: (said) => refused(lockLeft(said)),
  53: () =>
    refused(
      `Git took longer than ${WRITE_SECONDS / 60} minutes to write the files, so they were put back as they were. Do this in a terminal.`,
    ),
  54: (said) =>
    unwritten(
      `Some files of the stash could not be written, others were. The stash is still there, and HEAD is where it was: \`git status\` in a terminal lists the files, and \`git restore <file>\` brings one back. ${MEND}, then apply the stash again.${saidBy(said)}`,
    ),
  124: late,
  127: () => refused('There is no git in this agent. Install it, or use an image that has it.'),
  // Of a program that was killed.
  137: late,
}

/** The first line says where HEAD is. */
const partsOf = (said: string): { readonly head: string; readonly words: string } => {
  const [head = '', ...lines] = said.split('\n')
  return { head, words: saidBy(lines.join('\n')) }
}

/** Why a script did not do its work. */
export const failureOf = (exitCode: number, said = ''): AppError =>
  FAILURES[exitCode]?.(said.trim()) ??
  refused('Git could not read or change this repository. Try `git status` in a terminal.')

/** The exit code of a program that was killed. */
const KILLED = 137

/** The exit codes for files that could not be written under the lock of the index. */
export const OF_WRITING: ReadonlySet<number> = new Set([31, 50, 51, 52, 53, KILLED])

/** Why an act did not do its work. One that was killed could put nothing back. */
export const failureOfAct = (exitCode: number, said: string): AppError =>
  exitCode === KILLED
    ? unwritten(
        'Git was killed at its work: it took too long, or the memory of the agent ran out. Look at `git status` in a terminal: some files may be written, and others not. If it left the lock index.lock, remove that.',
      )
    : failureOf(exitCode, said)
