// Counting what passed and failed over everything that `npm test` runs, and keeping what is known of each failure: of a
// long log often only the end is left.
import { existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { inRoot } from '../../paths.mjs'

/** Of each failure this much of its message is told again at the end: the assertion and where it stands. */
const MESSAGE_CHARACTERS = 1_200

/** So many failures are told again; that many more have one cause, and the log says it. */
const TOLD_FAILURES = 20

/** @typedef {{passed: number, failed: number, skipped: number, failures: string[]}} Tally */

/** @type {Tally} */
export const NOTHING = Object.freeze({ passed: 0, failed: 0, skipped: 0, failures: [] })
export const PASSED = Object.freeze({ ...NOTHING, passed: 1 })

/** One failure. @param {string} what failed, and why @returns {Tally} */
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

/** What Vitest's report says of a file whose tests did not fail; of a hook or a worker it says nothing. */
const tellFile = (file, message) =>
  `${file}: ${brief(message ?? '') || 'failed outside of its tests; the log says how'}`

/**
 * Reads what Vitest's JSON reporter wrote. A file that could not even be loaded counts as one failure, and so does a
 * run that failed for any other reason than a test, e.g. an error nobody handled, or that left no report.
 *
 * @param {string} suite whose it is
 * @param {string} file the report
 * @param {number} exitCode Vitest's
 * @returns {Tally}
 */
export const readVitestReport = (suite, file, exitCode) => {
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
    failures.push(`every test passed, but the run failed (exit code ${exitCode}); the log says how`)
  return {
    passed: report.numPassedTests,
    failed: failures.length,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: failures.map((what) => `${suite}: ${what}`),
  }
}

/** What failed, for the end of the log; nothing where nothing did. @param {Tally} tally */
export const tellFailures = ({ failures }) => {
  const told = failures.slice(0, TOLD_FAILURES).map((what) => `✗ ${what.trimEnd().replaceAll('\n', '\n    ')}\n`)
  const more = failures.length - told.length
  return [...told, ...(more > 0 ? [`✗ and ${more} more\n`] : [])].join('')
}

/** The line that ends `npm test`. */
export const format = ({ passed, failed, skipped }) => `${passed} passed, ${failed} failed, ${skipped} skipped`
