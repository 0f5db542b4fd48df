// Counting what passed and failed over everything that `npm test` runs.
import { existsSync, readFileSync } from 'node:fs'

/** @typedef {{passed: number, failed: number, skipped: number}} Tally */

/** @type {Tally} */
export const NOTHING = Object.freeze({ passed: 0, failed: 0, skipped: 0 })
export const PASSED = Object.freeze({ passed: 1, failed: 0, skipped: 0 })
export const FAILED = Object.freeze({ passed: 0, failed: 1, skipped: 0 })

/** @param {Tally[]} tallies @returns {Tally} */
export const sum = (tallies) =>
  tallies.reduce(
    (total, { passed, failed, skipped }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
    }),
    NOTHING,
  )

/**
 * Reads what Vitest's JSON reporter wrote. A file that could not even be loaded counts as one failure, and so does a
 * run that failed for any other reason than a test, e.g. an error nobody handled, or that left no report.
 *
 * @param {string} file the report
 * @param {number} exitCode Vitest's
 * @returns {Tally}
 */
export const readVitestReport = (file, exitCode) => {
  if (!existsSync(file)) return FAILED
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && assertionResults.every((test) => test.status !== 'failed'),
  )
  const failed = report.numFailedTests + broken.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

/** The line that ends `npm test`. */
export const format = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
