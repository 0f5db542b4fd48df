import type { CheckResult, ValidationCheck } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import {
  commandLine,
  endWord,
  lastLineOf,
  repairWords,
  shapeOf,
  summaryOf,
  testWords,
  validationChoice,
} from './validation.ts'

const result = (more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ exitCode: 0, durationMs: 1, tests: null, reason: null, output: '', truncated: false },
  ...more,
})
const check = (after: CheckResult | null): ValidationCheck => ({
  ...{ argv: ['npm', 'run', 'test'], folder: '', kind: 'test', package: '', before: null },
  after,
})
const tests = (total: number, failed = 0) => ({ total, failed, passed: total - failed, skipped: 0 })

describe('a validation in words', () => {
  it('counts commands and tests', () => {
    expect(summaryOf({ checks: [] })).toBe('')
    expect(summaryOf({ checks: [check(null)] })).toBe('1 command')
    const checks = [check(result({ tests: tests(1_200) })), check(result({ tests: tests(34, 2) }))]
    expect(summaryOf({ checks })).toBe('2 commands, 2 of 1,234 tests failed')
    expect(testWords(result({ tests: tests(1) }))).toBe('1 test')
  })

  it('counts repairs', () => {
    expect([repairWords(2, 0), repairWords(2, 1)]).toEqual(['must pass', 'repair 1 of 2'])
  })

  it('tells how a command ended, and what cannot be told is no failure', () => {
    expect([endWord(null), shapeOf(null)]).toEqual(['not run', 'stopped'])
    expect([endWord(result()), shapeOf(result())]).toEqual(['passed', 'running'])
    const failed = result({ exitCode: 1 })
    expect([endWord(failed), shapeOf(failed)]).toEqual(['failed with exit code 1', 'failed'])
    const unknown = result({ exitCode: null, reason: 'timed_out' })
    expect([endWord(unknown), shapeOf(unknown)]).toEqual(['timed out', 'needs-you'])
  })

  it("shows a person's command without the shell", () => {
    expect(commandLine({ argv: ['sh', '-c', 'make check'], kind: 'command' })).toBe('make check')
    expect(commandLine(check(null))).toBe('npm run test')
  })

  it('says what a task that starts later has to pass', () => {
    expect(validationChoice(null, null)).toBeNull()
    expect(validationChoice(true, null)).toBe('When it ends')
    expect(validationChoice(null, 0)).toBe('Must pass, without a repair')
    expect(validationChoice(true, 2)).toBe('Must pass, with 2 repairs at most')
  })

  it('shows the last line that a command printed', () => {
    expect(lastLineOf('')).toBe('')
    expect(lastLineOf('first\n  second  \n\n')).toBe('second')
    expect(lastLineOf(`${'x'.repeat(1000)}end`)).toHaveLength(300)
  })
})
