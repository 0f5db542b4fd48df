/** The script that reads a work tree inside the container: its arguments, limits and exit codes. */
import { readFileSync } from 'node:fs'
import { AGENT_HOME } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/clock.ts'
import type { RunOptions } from '../../../runtime/port.ts'

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
/** Longest list of changed files, and longest patch, that the script prints, in bytes. */
export const PART_BYTES = 4_194_304
/** More than the four lengths and the sums take, in bytes. */
const HEAD_BYTES = 4096

const SCRIPT = readFileSync(new URL('scripts/changes.sh', import.meta.url), 'utf8')

/** The script's exit code for a folder that is in no work tree. */
export const NO_WORK_TREE = 20
/** Why the script did not read a work tree, by its exit code. */
export const FAILURES: Readonly<Record<number, string>> = {
  21: 'git could not read the work tree',
  22: 'too many files differ from the index',
  23: 'the files that differ from the index are too large',
  24: 'git took too long',
  124: 'git took too long',
  127: 'there is no git',
}

/** The folder of a run in its container, for git's files. It is in no home, so it goes with the container. */
export const ownFolder = (id: string): string => `/tmp/slipway-changes-${id}`

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

/** Removes git's files of a run. */
export const removal = (id: string): RunOptions => ({
  argv: ['rm', '-rf', '--', ownFolder(id)],
  timeoutMs: COMPARE_SECONDS * SECOND_MS + ENGINE_MS,
  maxOutputBytes: 0,
})
