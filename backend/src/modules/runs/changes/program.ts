/** The script that reads a work tree inside the container: its arguments, limits and exit codes. */
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import type { RunOptions } from '../../../runtime/port.ts'
import { HEAD_BYTES, PART_BYTES } from '../../git/diff/parse.ts'
import { ownFolder, workTreeScript } from '../../git/work-tree.ts'

/** Longest time for the tree of the start, in seconds: the CLI waits for it. A usual repository takes a tenth of one. */
const BEGIN_SECONDS = 3
/** Longest time for a comparison, in seconds: the end of the run waits for it. */
const COMPARE_SECONDS = 10
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 5 * SECOND_MS
/** When the script is killed that does not end by itself, in seconds after its time. */
const KILL_SECONDS = 1
/** Longest list of files that differ from the index, in bytes: some ten thousand paths. */
const PATHS_BYTES = 1_048_576
/** Size of those files together, in bytes. Their content is read, and stored until the run has ended. */
const FILES_BYTES = 134_217_728

const SCRIPT = workTreeScript(['patches'], new URL('scripts/changes.sh', import.meta.url))

/** The runs whose git files a container keeps when they are over. Those of older ones are removed. */
export const KEPT_RUNS = 20
/** Size of those files together, in KiB. */
const KEPT_KIB = 262_144
/** Longest path that a request names, in bytes: PATH_MAX of Linux. */
export const PATH_BYTES = 4096

/** The script's exit code for a folder that is in no work tree. */
export const NO_WORK_TREE = 20
/** Its exit codes for a discard that cannot be: no file of its own, another tree than the user saw, a task at work. */
export const CANNOT = 25
export const CONFLICT = 26
export const ACTIVE = 27
/** Its exit code if the git files of the run are gone. */
export const FORGOTTEN = 28
/** Why the script did not read a work tree, by its exit code. */
export const FAILURES: Readonly<Record<number, string>> = {
  21: 'git could not read the work tree',
  22: 'too many files differ from the index',
  23: 'the files that differ from the index are too large',
  24: 'git took too long',
  124: 'git took too long',
  127: 'there is no git',
}

const options = (seconds: number, maxOutputBytes: number, args: readonly string[]): RunOptions => ({
  argv: ['timeout', '-k', `${KILL_SECONDS}`, `${seconds}`, '/bin/sh', '-c', SCRIPT, 'slipway-changes', ...args],
  timeoutMs: (seconds + KILL_SECONDS) * SECOND_MS + ENGINE_MS,
  maxOutputBytes,
})

/** Stores the work tree of a folder, and prints its tree. */
export const beginning = (id: string, folder: string): RunOptions =>
  options(BEGIN_SECONDS, 128, ['begin', ownFolder(id), AGENT_HOME, folder, `${PATHS_BYTES}`, `${FILES_BYTES}`])

/** Prints what changed since that tree. */
export const comparison = (id: string, tree: string): RunOptions => {
  const limits = [PATHS_BYTES, FILES_BYTES, PART_BYTES].map(String)
  return options(COMPARE_SECONDS, HEAD_BYTES + 3 * PART_BYTES, ['compare', ownFolder(id), tree, ...limits])
}

/** What to take back of a run's changes. */
export interface Discard {
  /** The tree since which they are changes, and the one that the user looked at. */
  readonly base: string
  readonly seen: string
  readonly path: string
  readonly oldPath: string | null
  /** From 0 on; null: the whole file. */
  readonly hunk: number | null
}

/** Takes back a hunk or a file, unless a task is at work in its work tree. Prints the trees before and after. */
export const discarding = (id: string, { base, seen, path, oldPath, hunk }: Discard, active: readonly string[]) => {
  const what = [base, seen, `${hunk === null ? 0 : hunk + 1}`, path, oldPath ?? '']
  return options(COMPARE_SECONDS, 256, [
    'discard',
    ownFolder(id),
    ...what,
    `${PATHS_BYTES}`,
    `${FILES_BYTES}`,
    ...active,
  ])
}

/** Takes back a discard between these trees. */
export const undoing = (id: string, [before, after]: readonly [string, string], active: readonly string[]) =>
  options(COMPARE_SECONDS, 0, ['undo', ownFolder(id), before, after, `${PATHS_BYTES}`, `${FILES_BYTES}`, ...active])

/** Keeps git's files of a run that is over, and removes the oldest. */
export const keeping = (id: string): RunOptions =>
  options(COMPARE_SECONDS, 0, ['keep', ownFolder(id), `${KEPT_RUNS}`, `${KEPT_KIB}`])

/** Removes git's files of a run. */
export const removal = (id: string): RunOptions => ({
  argv: ['rm', '-rf', '--', ownFolder(id)],
  timeoutMs: COMPARE_SECONDS * SECOND_MS + ENGINE_MS,
  maxOutputBytes: 0,
})
