import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inRoot } from '../../paths.mjs'
import { failure, format, PASSED, readVitestReport, sum, tellFailures } from './tally.mjs'

const report = (content) => {
  const file = join(mkdtempSync(join(tmpdir(), 'tally-')), 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}
const results = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [] }
const broken = { name: inRoot('e2e/a.test.ts'), status: 'failed', message: 'no such module', assertionResults: [] }
const crashed = { ...broken, message: '' }
const wrong = {
  ...broken,
  message: '',
  assertionResults: [
    {
      status: 'failed',
      fullName: 'a door opens',
      failureMessages: ['\u001b[31mexpected 1 to be 2\u001b[39m\n  at a.ts:7'],
    },
    { status: 'passed', fullName: 'a door closes', failureMessages: [] },
  ],
}

describe('the count at the end of the tests', () => {
  it('adds up stages and suites', () => {
    const total = sum([PASSED, failure('lint'), readVitestReport('e2e', report(results), 0)])
    expect(format(total)).toBe('4 passed, 1 failed, 2 skipped')
  })

  it('counts a file that cannot be loaded as a failure', () => {
    expect(readVitestReport('e2e', report({ ...results, testResults: [broken] }), 1).failed).toBe(1)
  })

  it('does not count a file with a failed test twice', () => {
    expect(readVitestReport('e2e', report({ ...results, numFailedTests: 1, testResults: [wrong] }), 1).failed).toBe(1)
  })

  it('counts a run that failed although every test passed', () => {
    expect(readVitestReport('e2e', report(results), 1).failed).toBe(1)
  })

  it('counts a run that left no report', () => {
    expect(readVitestReport('e2e', '/nowhere/report.json', 0).failed).toBe(1)
  })
})

describe('what is told of failures at the end', () => {
  it('is nothing where nothing failed', () => {
    expect(tellFailures(PASSED)).toBe('')
  })

  it('is which test of which file it was, and why, over all suites', () => {
    const total = sum([
      failure('lint'),
      readVitestReport('e2e', report({ ...results, testResults: [wrong, broken, crashed] }), 1),
    ])
    expect(tellFailures(total)).toBe(
      '✗ lint\n' +
        '✗ e2e: e2e/a.test.ts: a door opens\n    expected 1 to be 2\n      at a.ts:7\n' +
        '✗ e2e: e2e/a.test.ts: no such module\n' +
        '✗ e2e: e2e/a.test.ts: failed outside of its tests; the log says how\n',
    )
  })

  it('is the end of the log where every test passed', () => {
    const run = readVitestReport(
      'e2e',
      report(results),
      1,
      '\u001b[31merror during close\u001b[39m\nthe engine keeps a\n',
    )
    expect(tellFailures(run)).toBe(
      '✗ e2e: every test passed, but the run failed (exit code 1); the log ends so:\n' +
        '    error during close\n    the engine keeps a\n',
    )
  })

  it('has a bound', () => {
    const told = tellFailures(sum(Array.from({ length: 25 }, (_, index) => failure(`test ${index}`))))
    expect(told.split('\n').slice(-3)).toEqual(['✗ test 19', '✗ and 5 more', ''])
  })
})
