import type { CheckResult, Validation, ValidationCheck } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { evidenceOf } from './evidence.ts'

const after: CheckResult = {
  ...{ exitCode: 0, durationMs: 1_234, reason: null, output: 'SECRET OUTPUT', truncated: false },
  tests: { total: 3, passed: 3, failed: 0, skipped: 0 },
}
const check: ValidationCheck = {
  ...{ argv: ['npm', 'run', 'test'], folder: '', kind: 'test', package: '', before: null },
  after,
}
const VALIDATION: Validation = {
  ...{ sessionId: 'x', state: 'passed', reason: null, message: null, root: '/home/developer/app', kind: 'root' },
  ...{ manager: 'npm', managerFrom: 'lock_file', checks: [check], running: null, startedAt: null, endedAt: null },
}

describe('the evidence in a pull request', () => {
  it('has the verdict, and each command with its exit code, its tests and its time', () => {
    const failed = {
      ...check,
      argv: ['npm', 'run', 'build'],
      folder: 'web',
      after: { ...after, exitCode: 2, tests: null },
    }
    const text = evidenceOf({ ...VALIDATION, state: 'failed', checks: [check, failed, { ...check, after: null }] })
    expect(text).toBe(
      'Validation: failed\n\n- `npm run test`: exit code 0, 3 of 3 tests passed, 1.2 s\n- `npm run build` in `web`: exit code 2, 1.2 s\n- `npm run test`: not run',
    )
  })

  it('says why nothing is known, and nothing before there is a verdict', () => {
    const late = { ...after, exitCode: null, reason: 'timed_out' as const, tests: null }
    const unknown = { ...VALIDATION, state: 'not_verified', message: 'It took too long.' } as const
    expect(evidenceOf({ ...unknown, checks: [{ ...check, after: late }] })).toBe(
      'Validation: not verified. It took too long.\n\n- `npm run test`: timed out, 1.2 s',
    )
    for (const state of ['waiting', 'running'] as const) expect(evidenceOf({ ...VALIDATION, state })).toBe('')
  })

  it('keeps a command in its line, and their number within a bound', () => {
    const hostile: ValidationCheck = { ...check, kind: 'command', argv: ['sh', '-c', 'echo `id`\n# Approved\n``x'] }
    const text = evidenceOf({ ...VALIDATION, checks: Array.from({ length: 25 }, () => hostile) })
    expect(text.split('\n').slice(2)).toHaveLength(21)
    expect(text).toContain('- ``` echo `id` # Approved ``x ```: exit code 0')
    expect(text).toMatch(/- and 5 more$/)
    expect(text).not.toContain('SECRET')
  })
})
