// What a person sees while the set-up runs: one line for each step that took noticeable time.
import { trustOwnProgramsOnly } from './parents.mjs'
import { SetUpError } from './set-up-error.mjs'

export { SetUpError }

/** Steps that take less are not worth a line, so that a start with nothing to do stays quiet. Milliseconds. */
const NOTICEABLE_MS = 1_000

/** Prints one line for the person. Goes to standard error, so that a program's own output stays clean. */
export const say = (line) => process.stderr.write(`${line}\n`)

/** Formats milliseconds as a person reads them: `0.4 s`, `12 s`, `2 min 05 s`. */
export const elapsed = (ms) => {
  const seconds = ms / 1_000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

/**
 * Runs one step of the set-up and says how long it took.
 *
 * @param {string} title what the line says, e.g. `dependencies`
 * @param {(announce: (line: string) => void) => Promise<T>} work is handed `announce`, to be called before
 *   something slow begins
 * @returns {Promise<T>} what the work returned; what it throws passes through
 * @template T
 */
export const step = async (title, work) => {
  const started = performance.now()
  const result = await work((line) => say(`  ${title}: ${line}`))
  const took = performance.now() - started
  if (took >= NOTICEABLE_MS) say(`✓ ${title} (${elapsed(took)})`)
  return result
}

/**
 * Waits for all of several steps, so that the failure of one is the last thing said.
 *
 * @param {Promise[]} steps
 * @returns {Promise<any[]>} their results
 * @throws the first failure
 */
export const together = async (steps) => {
  await Promise.allSettled(steps)
  return Promise.all(steps)
}

/**
 * Runs a script's main function and turns what it throws into a line and an exit code. A SetUpError is shown
 * as it is, anything else with its stack.
 *
 * @param {() => Promise<number | void>} main returns the exit code, 0 when nothing
 */
export const runMain = async (main) => {
  try {
    for (const folder of trustOwnProgramsOnly()) say(`made ${folder}, so that no other user can`)
    process.exitCode = (await main()) ?? 0
  } catch (error) {
    say(error instanceof SetUpError ? `✗ ${error.message}` : `✗ ${error?.stack ?? error}`)
    process.exitCode = 1
  }
}
