import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FAILED, format, PASSED, readVitestReport, sum } from './tally.mjs'

const report = (content) => {
  const file = join(mkdtempSync(join(tmpdir(), 'tally-')), 'report.json')
  writeFileSync(file, JSON.stringify(content))
  return file
}
const results = { numPassedTests: 3, numFailedTests: 0, numPendingTests: 1, numTodoTests: 1, testResults: [] }

describe('the count at the end of the tests', () => {
  it('adds up stages and suites', () => {
    expect(format(sum([PASSED, FAILED, readVitestReport(report(results), 0)]))).toBe('4 passed, 1 failed, 2 skipped')
  })

  it('counts a file that cannot be loaded as a failure', () => {
    const testResults = [{ status: 'failed', assertionResults: [] }]
    expect(readVitestReport(report({ ...results, testResults }), 1).failed).toBe(1)
  })

  it('does not count a file with a failed test twice', () => {
    const testResults = [{ status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] }]
    expect(readVitestReport(report({ ...results, numFailedTests: 1, testResults }), 1).failed).toBe(1)
  })

  it('counts a run that failed although every test passed', () => {
    expect(readVitestReport(report(results), 1).failed).toBe(1)
  })

  it('counts a run that left no report', () => {
    expect(readVitestReport('/nowhere/report.json', 0)).toEqual(FAILED)
  })
})
