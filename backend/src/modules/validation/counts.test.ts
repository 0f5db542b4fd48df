import { describe, expect, it } from 'vitest'
import { testsIn } from './counts.ts'

describe('the tests of an output are counted', () => {
  it('for Vitest', () => {
    const output = ` Test Files  1 failed | 1 passed (2)\n      Tests  1 failed | 3 passed | 2 skipped | 1 todo (7)\n`
    expect(testsIn(output)).toEqual({ total: 7, passed: 3, failed: 1, skipped: 3 })
    expect(testsIn('No test files found, exiting with code 1')).toMatchObject({ total: 0 })
  })

  it('for Jest', () => {
    const output =
      'Test Suites: 1 failed, 1 total\nTests:       1 failed, 1 skipped, 2 passed, 4 total\nSnapshots:   0 total'
    expect(testsIn(output)).toEqual({ total: 4, passed: 2, failed: 1, skipped: 1 })
    expect(testsIn('No tests found, exiting with code 1\nRun with `--passWithNoTests`')).toMatchObject({ total: 0 })
  })

  it('for Mocha', () => {
    expect(testsIn('  3 passing (12ms)\n  1 pending\n  2 failing\n')).toEqual({
      total: 6,
      passed: 3,
      failed: 2,
      skipped: 1,
    })
    expect(testsIn('\n\n  0 passing (1ms)\n')).toMatchObject({ total: 0 })
  })

  it('for the test runner of Node.js in both forms, and TAP', () => {
    const lines = ['tests 5', 'suites 0', 'pass 3', 'fail 1', 'cancelled 0', 'skipped 1', 'todo 0', 'duration_ms 42.1']
    for (const mark of ['#', 'ℹ'])
      expect(testsIn(lines.map((line) => `${mark} ${line}`).join('\n'))).toEqual({
        ...{ total: 5, passed: 3, failed: 1, skipped: 1 },
      })
    expect(testsIn('# tests 0\n# pass  0\n')).toMatchObject({ total: 0 })
  })

  it('for Bun', () => {
    expect(testsIn(' 3 pass\n 1 skip\n 1 fail\n 6 expect() calls\nRan 5 tests across 2 files.')).toEqual({
      ...{ total: 5, passed: 3, failed: 1, skipped: 1 },
    })
  })

  it('behind what pnpm puts before each line, and over several runs', () => {
    expect(testsIn('packages/a test:   2 passing (3ms)\npackages/b test:   1 passing (3ms)')).toMatchObject({
      total: 3,
    })
  })

  it('and not known where no runner tells them', () => {
    for (const output of ['', 'all fine', '3 passed', `Tests ${'x'.repeat(5000)} (3)`])
      expect(testsIn(output)).toBeNull()
  })
})
