import type { CheckResult, TestCounts, ValidationCheck } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { type Ended, reasonOf, verdictOf } from './verdict.ts'

const tests = (passed: number, failed = 0): TestCounts => ({ total: passed + failed, passed, failed, skipped: 0 })
const result = (more: Partial<CheckResult> = {}): CheckResult => ({
  ...{ exitCode: 0, durationMs: 1, tests: null, reason: null, output: '', truncated: false },
  ...more,
})
const check = (after: CheckResult | null, more: Partial<ValidationCheck> = {}): ValidationCheck => ({
  ...{ argv: ['npm', 'run', 'test'], folder: '', kind: 'test', package: '', before: null },
  after,
  ...more,
})
const FAILED = result({ exitCode: 1 })

describe('the verdict', () => {
  it('is passed if every command has', () => {
    const passed = [check(result(), { kind: 'build' }), check(result({ tests: tests(3) }))]
    expect(verdictOf(passed)).toEqual({ state: 'passed', reason: null })
  })

  it('is failed if one has, whatever else is not known', () => {
    const unknown = check(result({ exitCode: null, reason: 'timed_out' }))
    expect(verdictOf([check(result()), check(FAILED), unknown])).toEqual({ state: 'failed', reason: null })
  })

  it('is failing before if all that fails failed at the start, too', () => {
    expect(verdictOf([check(FAILED, { before: FAILED }), check(result())]).state).toBe('failing_before')
    expect(verdictOf([check(FAILED, { before: FAILED }), check(FAILED, { before: result() })]).state).toBe('failed')
    const unknown = result({ exitCode: null, reason: 'timed_out' })
    expect(verdictOf([check(FAILED, { before: unknown })]).state).toBe('failed')
  })

  it('is failed if more tests fail than at the start', () => {
    const [two, three] = [2, 3].map((count) => result({ exitCode: 1, tests: tests(5, count) }))
    expect(verdictOf([check(three ?? null, { before: two ?? null })]).state).toBe('failed')
    expect(verdictOf([check(two ?? null, { before: three ?? null })]).state).toBe('failing_before')
  })

  it('is not verified if nothing ran, or if one command tells nothing', () => {
    expect(verdictOf([])).toEqual({ state: 'not_verified', reason: 'no_scripts' })
    expect(verdictOf([check(null)])).toEqual({ state: 'not_verified', reason: 'not_started' })
    const none = check(result({ reason: 'no_network', exitCode: 1 }))
    expect(verdictOf([check(result()), none])).toEqual({ state: 'not_verified', reason: 'no_network' })
  })

  it('is not verified if no test ran in any package', () => {
    const empty = check(result({ reason: 'no_tests', tests: tests(0) }))
    expect(verdictOf([check(result(), { kind: 'build' }), empty])).toMatchObject({ reason: 'no_tests' })
    expect(verdictOf([empty, check(result({ tests: tests(1) }))]).state).toBe('passed')
  })
})

describe('a command tells nothing', () => {
  const reason = (more: Partial<Ended>) =>
    reasonOf({ kind: 'test', exitCode: 1, tests: null, timedOut: false, outOfMemory: false, output: '', ...more })

  it('if its time or the memory was over', () => {
    expect(reason({ exitCode: null, timedOut: true })).toBe('timed_out')
    expect(reason({ exitCode: 137, outOfMemory: true })).toBe('out_of_memory')
  })

  it('if no test matched, whether it fails for that or not', () => {
    expect(reason({ exitCode: 0, tests: tests(0) })).toBe('no_tests')
    expect(reason({ exitCode: 1, tests: tests(0) })).toBe('no_tests')
  })

  it('if a program of the dependencies is missing', () => {
    expect(reason({ exitCode: 127 })).toBe('dependencies_missing')
    for (const output of ['sh: 1: vitest: not found', '/bin/sh: 1: jest: not found', 'bun: command not found: jest'])
      expect(reason({ output: `> test\n${output}\n` })).toBe('dependencies_missing')
  })

  it('if the network is missing', () => {
    for (const output of [
      'npm error code ENOTFOUND',
      'getaddrinfo EAI_AGAIN example.org',
      ' ERR_PNPM_META_FETCH_FAIL ',
    ])
      expect(reason({ output })).toBe('no_network')
  })

  it('if the project wants another version of its manager', () => {
    expect(reason({ output: 'Corepack must currently be enabled by running corepack enable' })).toBe('manager_missing')
  })

  it('but tells a failure if tests have failed, whatever they print', () => {
    expect(reason({ tests: tests(1, 1), output: 'getaddrinfo ENOTFOUND' })).toBeNull()
    expect(reason({ output: 'expected 404: not found to be 200' })).toBeNull()
    expect(reason({})).toBeNull()
  })
})
