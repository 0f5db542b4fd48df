/** The script that commits and pushes inside the container: its arguments, limits and exit codes. */
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { RunOptions } from '../../runtime/port.ts'
import { type Standing, standingOf } from '../git/proposal.ts'
import { ownFolder, workTreeScript } from '../git/work-tree.ts'

/** Longest time for a look or a commit, in seconds. All changed files are read. */
const LOCAL_SECONDS = 30
/** Longest time for a push, in seconds. */
export const PUSH_SECONDS = 120
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 5 * SECOND_MS
/** When the script is killed that does not end by itself, in seconds after its time. */
const KILL_SECONDS = 1
/** Longest list of files that differ from the index, in bytes, and their size together. */
const PATHS_BYTES = 1_048_576
const FILES_BYTES = 268_435_456
/** More than one look prints, in bytes. */
const OUTPUT_BYTES = 16_384

const SCRIPT = workTreeScript(['repository', 'lock'], new URL('scripts/publish.sh', import.meta.url))

/** The script's exit codes. */
export const EXIT = {
  noWorkTree: 20,
  tooMany: 22,
  tooLarge: 23,
  late: 24,
  moved: 26,
  active: 27,
  unfinished: 30,
  locked: 31,
  filtered: 32,
  branchTaken: 33,
  noRemote: 34,
  refused: 35,
  behind: 36,
  nothing: 37,
  unwritable: 50,
  lockLeft: 52,
  /** Of `timeout`. */
  timeout: 124,
} as const

/** Who commits, for a repository that names no one. */
export interface Author {
  readonly name: string
  readonly address: string
}

const argvOf = (seconds: number, mode: string, id: string, cwd: string, args: readonly string[]): string[] => [
  ...['timeout', '-k', `${KILL_SECONDS}`, `${seconds}`, '/bin/sh', '-c', SCRIPT, 'slipway-publish'],
  ...[mode, ownFolder(id), AGENT_HOME, cwd, `${PATHS_BYTES}`, `${FILES_BYTES}`, ...args],
]

const local = (argv: readonly string[], input?: string): RunOptions => ({
  argv,
  ...(input !== undefined && { input: Buffer.from(input) }),
  timeoutMs: (LOCAL_SECONDS + KILL_SECONDS) * SECOND_MS + ENGINE_MS,
  maxOutputBytes: OUTPUT_BYTES,
})

/** Prints what there is to publish. `id` is a new one, as in the two below. */
export const looking = (id: string, cwd: string): RunOptions => local(argvOf(LOCAL_SECONDS, 'look', id, cwd, []))

/** Commits the work tree to a branch, unless a task is at work in it. Prints the commit. */
export const committing = (
  id: string,
  cwd: string,
  what: { readonly branch: string; readonly message: string; readonly author: Author },
  active: readonly string[],
): RunOptions => {
  const { branch, message, author } = what
  return local(argvOf(LOCAL_SECONDS, 'commit', id, cwd, [branch, author.name, author.address, ...active]), message)
}

/** Pushes a branch that must be at a commit. Needs the user's credentials in its environment. */
export const pushing = (id: string, cwd: string, branch: string, commit: string): string[] =>
  argvOf(PUSH_SECONDS, 'push', id, cwd, [branch, commit])

/** What a look found. */
export interface Looked extends Standing {
  readonly uncommitted: number
}

/** Null: the output is no answer of the script. */
export const lookedIn = (stdout: Buffer): Looked | null => {
  const parts = stdout.toString().split('\0')
  if (parts.length !== 9) return null
  return { ...standingOf(parts), uncommitted: Number(parts[7]) }
}
