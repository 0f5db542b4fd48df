// The output of the set-up: one line for each step that took noticeable time.
import { trustOwnProgramsOnly } from './parents.mjs'
import { SetUpError } from './set-up-error.mjs'

export { SetUpError }

/** A step that takes less prints no line, so a start with nothing to do is quiet. Milliseconds. */
const NOTICEABLE_MS = 1_000

/**
 * Prints one line for the user. The line goes to standard error, because standard output belongs to the program's
 * result.
 */
export const say = (line) => process.stderr.write(`${line}\n`)

/** Formats milliseconds for people: `0.4 s`, `12 s`, `2 min 05 s`. */
export const elapsed = (ms) => {
  const seconds = ms / 1_000
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  if (seconds < 60) return `${Math.round(seconds)} s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, '0')} s`
}

/**
 * Runs one step of the set-up, and prints how long it took.
 *
 * @param {string} title the beginning of the line, e.g. `dependencies`
 * @param {(announce: (line: string) => void) => Promise<T>} work calls `announce` before something slow begins
 * @returns {Promise<T>} the result of `work`; its errors pass through
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
 * Waits for all of several steps, so that the message of a failure comes last.
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
 * Runs a script's main function. If it throws, it prints the error and sets an exit code. A SetUpError is printed as it
 * is, any other error with its stack.
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
