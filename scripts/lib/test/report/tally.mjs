// Counts what passed and failed in everything that `npm test` runs, and keeps the message of each failure. Often only
// the end of a long log is available.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { inRoot } from '../../paths.mjs'

/** How much of a failure's message is repeated at the end, in characters: the assertion and its place. */
const MESSAGE_CHARACTERS = 1_200

/** How many failures are repeated. More than that usually have one cause, which the log shows. */
const TOLD_FAILURES = 20

/** @typedef {{passed: number, failed: number, skipped: number, failures: string[]}} Tally */

/** @type {Tally} */
export const NOTHING = Object.freeze({ passed: 0, failed: 0, skipped: 0, failures: [] })
export const PASSED = Object.freeze({ ...NOTHING, passed: 1 })

/** A tally of one failure. @param {string} what failed, and why @returns {Tally} */
export const failure = (what) => ({ ...NOTHING, failed: 1, failures: [what] })

/** @param {Tally[]} tallies @returns {Tally} */
export const sum = (tallies) =>
  tallies.reduce(
    (total, { passed, failed, skipped, failures }) => ({
      passed: total.passed + passed,
      failed: total.failed + failed,
      skipped: total.skipped + skipped,
      failures: [...total.failures, ...failures],
    }),
    NOTHING,
  )

const brief = (text) => stripVTControlCharacters(text).slice(0, MESSAGE_CHARACTERS)

const tellTest = (file, { fullName, failureMessages }) => `${file}: ${fullName}\n${brief(failureMessages.join('\n'))}`

/** What Vitest reports about a file whose tests did not fail. It reports nothing about a hook or a worker. */
const tellFile = (file, message) =>
  `${file}: ${brief(message ?? '') || 'failed outside of its tests; the log says how'}`

/**
 * Reads a report of Vitest's JSON reporter. A file that could not be loaded counts as one failure. A run that failed
 * for another reason than a test does, too, e.g. by an unhandled error, or without a report. The report does not have the
 * reason, but the log does.
 *
 * @param {string} suite the suite's name
 * @param {string} file the report
 * @param {number} exitCode Vitest's
 * @param {string} [last] the last part of the log
 * @returns {Tally}
 */
export const readVitestReport = (suite, file, exitCode, last = '') => {
  if (!existsSync(file)) return failure(`${suite}: no report (exit code ${exitCode})`)
  const report = JSON.parse(readFileSync(file, 'utf8'))
  const failures = report.testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const path = relative(inRoot(), name)
      const tests = assertionResults.filter((test) => test.status === 'failed')
      return tests.length > 0 ? tests.map((test) => tellTest(path, test)) : [tellFile(path, message)]
    })
  if (failures.length === 0 && exitCode !== 0)
    failures.push(
      `every test passed, but the run failed (exit code ${exitCode}); the log ends so:\n${stripVTControlCharacters(last)}`,
    )
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: failures.map((what) => `${suite}: ${what}`),
  }
}

/** Prints the failures at the end of the log, if there are any. @param {Tally} tally */
export const tellFailures = ({ failures }) => {
  const told = failures.slice(0, TOLD_FAILURES).map((what) => `✗ ${what.trimEnd().replaceAll('\n', '\n    ')}\n`)
  const more = failures.length - told.length
  return [...told, ...(more > 0 ? [`✗ and ${more} more\n`] : [])].join('')
}

/** The last line of `npm test`. */
export const format = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
