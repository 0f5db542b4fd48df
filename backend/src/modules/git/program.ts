/** The scripts that read and change repositories inside the container: their arguments, limits and exit codes. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME, COMMIT_MESSAGE_MAX } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { RunOptions } from '../../runtime/port.ts'
import { HEAD_BYTES, PART_BYTES } from './diff/parse.ts'
import { ownFolder, workTreeScript } from './work-tree.ts'

/** Longest time for one look or one act, in seconds. All changed files are read. */
const LOCAL_SECONDS = 20
/** Longest time in which git may write the files of an act, in seconds: far more than 100,000 files take on a slow disk. */
export const WRITE_SECONDS = 120
/** Longest time for such an act, in seconds. It has read what changes before, and puts it back if not all is written in time. */
const WRITING_ACT_SECONDS = 300
/** What a busy engine may take in addition, in milliseconds. */
const ENGINE_MS = 5 * SECOND_MS
/** When a script is killed that does not end by itself, in seconds after its time. */
const KILL_SECONDS = 1
/** Largest index that is copied, in bytes: some two million files. */
export const INDEX_BYTES = 268_435_456
/** Largest size of the files of one act or one diff together, in bytes. */
export const FILES_BYTES = 134_217_728
/** Longest list of changed files, in bytes: more than {@link GIT_FILES_MAX} usual paths. */
export const STATUS_BYTES = 2_097_152
/** Longest list of references and longest part of a log, in bytes. */
const LIST_BYTES = 1_048_576
/** How deep below the home a repository is looked for, in folders. */
const DEPTH = 6
/** Folders in which none is looked for: what package managers and build tools store. One with a slash is at that path of the home. */
const SKIPPED = ['node_modules', '.npm', '.cache', '.cargo', '.rustup', '.venv', '.nvm', 'go/pkg']

const text = (name: string): string => readFileSync(new URL(`scripts/${name}.sh`, import.meta.url), 'utf8')
const script = (name: string, ...parts: readonly ('lock' | 'files' | 'stash')[]): string =>
  workTreeScript(['repository', 'patches', 'paths', ...parts], new URL(`scripts/${name}.sh`, import.meta.url))
const SCRIPTS = { list: text('list'), read: script('read'), write: script('write', 'lock', 'files', 'stash') } as const

const options = (
  argv: readonly string[],
  maxOutputBytes: number,
  input: Uint8Array = Buffer.alloc(0),
  seconds = LOCAL_SECONDS,
): RunOptions => ({
  argv: ['timeout', '-k', `${KILL_SECONDS}`, `${seconds}`, '/bin/sh', '-c', ...argv],
  input,
  timeoutMs: (seconds + KILL_SECONDS) * SECOND_MS + ENGINE_MS,
  maxOutputBytes,
})

/** Finds the repositories of the home. */
export const finding = (most: number): RunOptions =>
  options([SCRIPTS.list, 'slipway-git', AGENT_HOME, `${DEPTH}`, `${most}`, ...SKIPPED], LIST_BYTES)

/** What a script behind `paths.sh` gets first. */
export const startOf = (mode: string, { id, folder }: RepositoryPlace): string[] => [
  ...[mode, ownFolder(id), AGENT_HOME, folder, `${INDEX_BYTES}`, `${FILES_BYTES}`],
]

/** A repository, and what names the files of one script. */
export interface RepositoryPlace {
  readonly id: string
  /** Its work tree, absolute. */
  readonly folder: string
}

/** Acts that write files of the work tree. */
const WRITING = new Set(['discard', 'undo', 'branch', 'switch', 'forward', 'stash-push', 'stash-apply'])

const of = (
  name: 'read' | 'write',
  place: RepositoryPlace,
  [mode, ...args]: readonly [string, ...string[]],
  maxOutputBytes: number,
  input?: Uint8Array,
): RunOptions => {
  const own = name === 'write' ? [`${WRITE_SECONDS}`, ...args] : args
  const argv = [SCRIPTS[name], 'slipway-git', ...startOf(mode, place), ...own]
  return options(argv, maxOutputBytes, input, WRITING.has(mode) ? WRITING_ACT_SECONDS : LOCAL_SECONDS)
}

/** Paths of files, as bytes, each with a NUL behind it. */
const asked = (paths: readonly Buffer[]): Buffer => Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]))

/** `staged`: what the next commit has; `unstaged`: what it has not. */
export type Side = 'staged' | 'unstaged'

export const readingStatus = (place: RepositoryPlace, withIgnored: boolean): RunOptions =>
  of('read', place, ['status', `${STATUS_BYTES}`, withIgnored ? 'ignored' : ''], STATUS_BYTES + LIST_BYTES)

export const readingDiff = (place: RepositoryPlace, side: Side, paths: readonly Buffer[]): RunOptions =>
  of('read', place, ['diff', side, `${PART_BYTES}`], HEAD_BYTES + 3 * PART_BYTES, asked(paths))

export const readingCommit = (place: RepositoryPlace, commit: string): RunOptions =>
  of('read', place, ['show', commit, `${PART_BYTES}`], HEAD_BYTES + 3 * PART_BYTES)

export const readingRefs = (place: RepositoryPlace, most: number): RunOptions =>
  of('read', place, ['refs', `${most}`], LIST_BYTES)

/** `what`: a reference; null: all of them. */
export const readingLog = (place: RepositoryPlace, what: string | null, skip: number, most: number): RunOptions =>
  of('read', place, ['log', what ?? '--all', `${skip}`, `${most}`], LIST_BYTES)

export const readingStashes = (place: RepositoryPlace): RunOptions =>
  of('read', place, ['stashes', `${LIST_BYTES}`], LIST_BYTES)

/** Largest part of a patch that a prompt has, in bytes: some 20,000 tokens. */
export const PROMPT_PATCH_BYTES = 65_536

/** What the next commit changes, as numbers and as a patch. `amends`: with what the last one changes. */
export const readingStaged = (place: RepositoryPlace, amends: boolean): RunOptions =>
  of('read', place, ['staged', `${PROMPT_PATCH_BYTES + 1}`, amends ? 'amended' : ''], 3 * PROMPT_PATCH_BYTES)

/** The message of the commit that is checked out, and whether a remote has it. */
export const readingLast = (place: RepositoryPlace): RunOptions =>
  of('read', place, ['last', `${COMMIT_MESSAGE_MAX}`], HEAD_BYTES + COMMIT_MESSAGE_MAX)

/** What git itself needs to know before it runs there. An empty branch: the one that is checked out. */
export const readingReady = (place: RepositoryPlace, branch: string, isAmended: boolean): RunOptions =>
  of('read', place, ['ready', branch, isAmended ? 'amended' : ''], HEAD_BYTES)

/** Most commits whose messages a proposal is made of, and their longest texts together, in bytes. */
const PROPOSED_COMMITS = 30
const PROPOSED_BYTES = 65_536

/** How the branch that is checked out stands to its remote, and the messages of its commits. */
export const readingProposal = (place: RepositoryPlace): RunOptions =>
  of('read', place, ['proposal', `${PROPOSED_COMMITS}`, `${PROPOSED_BYTES}`], 2 * PROPOSED_BYTES)

/** A hunk of a file, between the trees that the user saw. */
export interface Hunk {
  /** From 0 on. */
  readonly at: number
  readonly base: string
  readonly tree: string
}

/** Stages, unstages or discards files, or a hunk of one. A discard prints the reference that keeps it. */
export const changing = (
  place: RepositoryPlace,
  act: 'stage' | 'unstage' | 'discard',
  paths: readonly Buffer[],
  hunk: Hunk | null,
): RunOptions => {
  const which = hunk ? [`${hunk.at + 1}`, hunk.base, hunk.tree] : ['0', '', '']
  return of('write', place, [act, ...which], HEAD_BYTES, asked(paths))
}

export const undoing = (place: RepositoryPlace, kept: string): RunOptions =>
  of('write', place, ['undo', kept], HEAD_BYTES)

/** Who commits, for a repository that names no one. */
export interface Author {
  readonly name: string
  readonly address: string
}

/** Commits what is staged. `amended`: the commit whose place it takes; null: none. Prints the commit. */
export const committing = (
  place: RepositoryPlace,
  message: string,
  { name, address }: Author,
  amended: string | null,
): RunOptions => of('write', place, ['commit', name, address, amended ?? ''], HEAD_BYTES, Buffer.from(message))

/** A branch to make. */
export interface NewBranch {
  readonly name: string
  /** A reference or a commit; null: the commit that is checked out. */
  readonly from: string | null
  readonly isCheckedOut: boolean
  /** As `origin/main`; null: it follows none. */
  readonly follows: string | null
}

export const branching = (place: RepositoryPlace, { name, from, isCheckedOut, follows }: NewBranch): RunOptions =>
  of('write', place, ['branch', name, from ?? '', isCheckedOut ? 'switch' : '', follows ?? ''], HEAD_BYTES)

export const switching = (place: RepositoryPlace, branch: string): RunOptions =>
  of('write', place, ['switch', branch], HEAD_BYTES)

/** Moves the branch to the commit of the branch that it follows. */
export const forwarding = (place: RepositoryPlace): RunOptions => of('write', place, ['forward'], HEAD_BYTES)

/** Puts what has changed aside. An empty message: git's usual one. Prints the commit of the stash. */
export const stashingAway = (place: RepositoryPlace, message: string, withUntracked: boolean): RunOptions =>
  of('write', place, ['stash-push', withUntracked ? 'untracked' : ''], HEAD_BYTES, Buffer.from(message))

/** Applies or drops the stash of this number, which must be this commit. */
export const stashing = (place: RepositoryPlace, act: 'apply' | 'drop', at: number, commit: string): RunOptions =>
  of('write', place, [`stash-${act}`, `${at}`, commit], LIST_BYTES)

/** Removes the lock of a git that was killed, if it is not older than this time of the container, in seconds. */
export const unlocking = (place: RepositoryPlace, since: string): RunOptions => of('write', place, ['unlock', since], 0)
