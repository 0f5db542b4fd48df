/** The scripts that make, look at and end worktrees inside the container: their arguments, limits and exit codes. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, type TakeBackWorktree, type TakenBack, WORKTREE_SETUP_SECONDS } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { RunOptions } from '../../runtime/port.ts'
import { WRITE_SECONDS } from '../git/program.ts'
import { writingScript } from '../git/work-tree.ts'

/** Longest time for making one, in seconds: 50,000 files take some ten. */
const MAKE_SECONDS = 120
/** Longest time for saving and removing one, in seconds. */
const END_SECONDS = 300
/** Longest time for taking one back, in seconds. It puts the files of the branch back if not all are written in {@link WRITE_SECONDS}. */
const BACK_SECONDS = 300
/** Longest time for a look at all of an agent, in seconds. */
const LOOK_SECONDS = 20
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 5 * SECOND_MS
/** When a script is killed that does not end by itself, in seconds after its time. */
const KILL_SECONDS = 5
/** Most bytes that `.worktreeinclude` copies: 1 GiB. */
const INCLUDE_BYTES = 1_073_741_824
/** Most bytes of ignored files that were written in a worktree and are saved: 64 MiB. One with more is kept. */
const IGNORED_BYTES = 67_108_864
/** More than the lines that making one prints: paths of at most 4096 bytes (`PATH_MAX`). */
const MADE_BYTES = 32_768
/** Longest list of files in conflict, in bytes. */
const CONFLICTS_BYTES = 1_048_576
/** Most bytes of what a set-up command printed that an error shows. */
const SETUP_BYTES = 65_536

const text = (name: string): string => readFileSync(new URL(`scripts/${name}.sh`, import.meta.url), 'utf8')
const COMMON = text('common')
const SCRIPTS = {
  make: COMMON + text('make'),
  ready: COMMON + text('ready'),
  look: COMMON + text('look'),
  end: COMMON + text('salvage') + text('end'),
  back: [COMMON, writingScript, text('back')].join('\n'),
} as const

/** The script's exit code for a folder that is in no work tree, and for a work tree that is not busy. */
export const NO_WORK_TREE = 20
export const NOT_BUSY = 30
/** Its exit code for a commit that does not exist yet. */
export const NO_COMMIT = 31
/** Its exit code for a worktree in which a program works. */
export const BUSY = 35
/** Its exit code for a worktree whose folder or repository is gone. */
export const BROKEN = 39
/** Why a script did not do its work, by its exit code. */
const FAILURES: Readonly<Record<number, string>> = {
  [NO_WORK_TREE]: 'the folder is in no git work tree of the home',
  21: 'git or the disk of the agent refused',
  24: 'git took too long',
  [NO_COMMIT]: 'the repository has no commit yet',
  32: 'the root of the worktrees is not a folder in the home',
  33: 'its folder exists already',
  34: 'git could not add the worktree',
  [BUSY]: 'a program works in it',
  36: 'it contains another repository, such as a submodule, whose commits cannot be saved',
  37: 'it has more than 64 MiB of ignored files that are new',
  38: '.worktreeinclude names more than 1 GiB of files',
  [BROKEN]: 'its folder or its repository is gone, or is another one',
  40: 'it has changes that are not committed. Commit them first',
  41: 'it has no commits that the branch lacks',
  42: 'the branch or a commit does not exist',
  43: 'the work tree of the branch has changes in the same files, or an unfinished merge',
  44: 'another program changed the branch meanwhile. Try again',
  124: 'git took too long',
  127: 'there is no git',
}

/** Why a script did not do its work, as a part of a sentence. */
export const reasonOf = (exitCode: number): string => FAILURES[exitCode] ?? `git ended with exit code ${exitCode}`

const options = (
  script: keyof typeof SCRIPTS,
  id: string,
  seconds: number,
  maxOutputBytes: number,
  args: readonly string[],
): RunOptions => ({
  argv: [
    ...['timeout', '-k', `${KILL_SECONDS}`, `${seconds}`],
    ...['/bin/sh', '-c', SCRIPTS[script], 'slipway-worktree', `/tmp/slipway-worktree-${id}`, ...args],
  ],
  timeoutMs: (seconds + KILL_SECONDS) * SECOND_MS + ENGINE_MS,
  maxOutputBytes,
})

/** A worktree to make. */
export interface Making {
  /** Names the files of the script. */
  readonly id: string
  /** The folder of the run. */
  readonly folder: string
  /** The folder in which it is made, in the home or absolute. */
  readonly root: string
  readonly name: string
  /** Its commit; null: that of the folder. */
  readonly commit: string | null
  /** Whether it is made only if a program or one of these folders' runs works in the same work tree. */
  readonly onlyIfBusy: boolean
  readonly active: readonly string[]
  /** Why it is locked. */
  readonly why: string
}

export const making = ({ id, folder, root, name, commit, onlyIfBusy, active, why }: Making): RunOptions => {
  const at = root.startsWith('/') ? root : `${AGENT_HOME}/${root}`
  const wish = onlyIfBusy ? 'if-busy' : 'always'
  const args = [AGENT_HOME, folder, at, name, commit ?? '', wish, why, `${INCLUDE_BYTES}`, ...active]
  return options('make', id, MAKE_SECONDS, MADE_BYTES, args)
}

/** What the script says of a worktree that it made. */
export interface Made {
  readonly path: string
  /** The folder of the run in it. */
  readonly folder: string
  readonly base: string
  readonly branch: string | null
  readonly repository: string
  readonly common: string
}

/** Throws if it is not what the script prints. */
export const madeIn = (stdout: Buffer): Made => {
  const [path, folder, base, branch, repository, common, end] = stdout.toString('utf8').split('\n')
  if (!path || !folder || !base || branch === undefined || !repository || !common || end !== '')
    throw new Error('the script that makes worktrees printed something else')
  return { path, folder, base, branch: branch === '' ? null : branch, repository, common }
}

/** Where a worktree is. */
export interface WorktreePlace {
  readonly id: string
  readonly path: string
  readonly common: string
  readonly base: string
}

/** Locks a worktree that is used again. */
export const claiming = ({ path, common }: WorktreePlace, why: string): RunOptions => ({
  argv: [
    ...[
      '/bin/sh',
      '-c',
      '[ -e "$1/.git" ] && { git --git-dir="$2" worktree lock --reason "$3" "$1" 2>/dev/null || :; }',
    ],
    ...['slipway-worktree', path, common, why],
  ],
  timeoutMs: LOOK_SECONDS * SECOND_MS + ENGINE_MS,
  maxOutputBytes: 0,
})

/** Succeeds if a worktree of the repository is there (again). */
export const finding = ({ path, common }: Pick<WorktreePlace, 'path' | 'common'>): RunOptions => ({
  argv: [
    ...['/bin/sh', '-c', '[ "$(cat "$1/.git")" = "gitdir: $2" ] && [ "$(cat "$2/gitdir")" = "$1/.git" ]'],
    ...['slipway-worktree', path, `${common}/worktrees/${nameOf(path)}`],
  ],
  timeoutMs: LOOK_SECONDS * SECOND_MS + ENGINE_MS,
  maxOutputBytes: 0,
})

/** Runs the set-up command of an agent in a new worktree. */
export const settingUp = ({ path }: Pick<WorktreePlace, 'path'>, command: string): RunOptions => ({
  argv: [
    ...['timeout', '-k', `${KILL_SECONDS}`, `${WORKTREE_SETUP_SECONDS}`],
    ...['/bin/sh', '-c', 'cd -- "$1" && exec /bin/sh -c "$2" 2>&1', 'slipway-worktree', path, command],
  ],
  timeoutMs: (WORKTREE_SETUP_SECONDS + KILL_SECONDS) * SECOND_MS + ENGINE_MS,
  maxOutputBytes: SETUP_BYTES,
})

/** Marks that a worktree is ready. What git ignores and is older need not be saved. */
export const readying = ({ id, path, common }: Omit<WorktreePlace, 'base'>): RunOptions =>
  options('ready', id, LOOK_SECONDS, 0, [`${common}/worktrees/${nameOf(path)}`])

/** `keep`: it is only unlocked, because a conversation goes on in it. */
export type EndWish = 'keep' | 'if-clean' | 'always'
/** What the script says, and what is stored, of a worktree that is kept for a conversation. */
export const FOR_CONVERSATION = 'conversation'

/** Saves and removes a worktree: always, or only if it is as it was made. Or keeps it for its conversation. */
export const ending = ({ id, path, common, base }: WorktreePlace, wish: EndWish): RunOptions =>
  options('end', id, END_SECONDS, MADE_BYTES, [path, common, base, wish, `${IGNORED_BYTES}`])

/** What the script says of a worktree that was to be removed. */
export interface Ended {
  /** Why it was kept; null: it is removed. */
  readonly kept: string | null
  readonly salvage: string | null
}

/** Throws if it is not what the script prints. */
export const endedIn = (stdout: Buffer): Ended => {
  const lines = stdout.toString('utf8').split('\n')
  const word = (name: string): string | null =>
    lines.find((line) => line.startsWith(`${name} `))?.slice(name.length + 1) ?? null
  const kept = word('kept')
  if (kept === null && !lines.includes('removed'))
    throw new Error('the script that ends worktrees printed something else')
  return { kept, salvage: word('salvage') }
}

/** Brings the commits of a worktree into a branch, unless a task works in one of these folders of the branch's work tree. */
export const takingBack = (
  { id, path, common, base }: WorktreePlace,
  branch: string,
  { how, commits = [] }: TakeBackWorktree,
  active: readonly string[],
): RunOptions =>
  options('back', id, BACK_SECONDS, CONFLICTS_BYTES, [
    ...[path, common, base, `${WRITE_SECONDS}`, branch, how],
    ...[commits.join(' '), ...active],
  ])

/** What the script says of a worktree that was to be taken back. Throws if it is not what the script prints. */
export const takenBackIn = (stdout: Buffer): Pick<TakenBack, 'commit' | 'conflicts'> => {
  const text = stdout.toString('utf8')
  const [, commit] = /^taken ([0-9a-f]{40,64})\n$/.exec(text) ?? []
  if (commit !== undefined) return { commit, conflicts: [] }
  if (!text.startsWith('conflicts\n')) throw new Error('the script that takes worktrees back printed something else')
  // The last one may be cut.
  return {
    commit: null,
    conflicts: text
      .slice(text.indexOf('\n') + 1)
      .split('\0')
      .slice(0, -1),
  }
}

/** Looks at worktrees. Prints a line for each: its number, its state, its commit, its size in KiB. */
export const looking = (id: string, places: readonly WorktreePlace[]): RunOptions =>
  options(
    'look',
    id,
    LOOK_SECONDS,
    places.length * 256,
    places.flatMap(({ path, common, base }) => [path, common, base]),
  )

/** The last part of a worktree's path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** Most characters of a repository's name in that of a worktree. */
const NAME_MAX = 40

/** The last part of a path, as far as it is safe in names of files and of references. */
export const shortName = (path: string): string =>
  nameOf(path)
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, NAME_MAX) || 'tree'
