/** Counts tests in the output of test runners. */
import type { TestCounts } from '@slipway/protocol'

/** Longest line that is looked at. No runner's sum is longer. */
const LINE_MAX = 400
/** What pnpm puts before each line of a package's script. */
const PREFIX = /^[^\s:]{1,200} (?:build|test): /

/** Vitest: `Tests  1 failed | 2 passed | 1 skipped (4)`. */
const VITEST = /^\s*Tests\s+(.+?)\s*\(\d+\)\s*$/
/** Jest: `Tests:       1 failed, 2 passed, 3 total`. */
const JEST = /^Tests:\s+(.+)$/
/** A part of either. */
const PART = /(\d+) (passed|failed|skipped|todo|pending)/g
/** Node's test runner in its two forms, and TAP: `# pass 3` or `ℹ pass 3`. */
const TAP = /^(?:#|ℹ)\s+(tests|pass|fail|cancelled|skipped|todo|skip)\s+(\d+)\s*$/
/** Mocha: `  3 passing (12ms)`. */
const MOCHA = /^\s{2,}(\d+) (passing|failing|pending)\b/
/** Bun: ` 3 pass`. */
const BUN = /^\s+(\d+) (pass|fail|skip|todo)\s*$/
/** A runner that found nothing to run. */
const NONE =
  /^(?:\s*No test files found\b|\s*No tests found\b|error: 0 test files matching|.*\bNo test files (?:were )?found)/

type Kind = 'passed' | 'failed' | 'skipped'

const KINDS: Readonly<Record<string, Kind>> = {
  ...{ passed: 'passed', pass: 'passed', passing: 'passed' },
  ...{ failed: 'failed', fail: 'failed', failing: 'failed', cancelled: 'failed' },
  ...{ skipped: 'skipped', skip: 'skipped', todo: 'skipped', pending: 'skipped' },
}

/** The tests that an output without control sequences tells of, summed over all runs in it; null if it tells of none in a form that is known. */
export const testsIn = (output: string): TestCounts | null => {
  const sums = { passed: 0, failed: 0, skipped: 0 }
  let isKnown = false
  const add = (word: string, count: string): void => {
    isKnown = true
    const kind = KINDS[word]
    if (kind) sums[kind] += Number(count)
  }
  for (const raw of output.split('\n')) {
    if (raw.length > LINE_MAX) continue
    const line = raw.replace(PREFIX, '')
    const [, parts] = VITEST.exec(line) ?? JEST.exec(line) ?? []
    if (parts !== undefined) for (const [, count = '0', word = ''] of parts.matchAll(PART)) add(word, count)
    const [, tapWord, tapCount] = TAP.exec(line) ?? []
    if (tapWord !== undefined && tapCount !== undefined) add(tapWord, tapCount)
    const [, count, word] = MOCHA.exec(line) ?? BUN.exec(line) ?? []
    if (word !== undefined && count !== undefined) add(word, count)
    if (NONE.test(line)) isKnown = true
  }
  return isKnown ? { ...sums, total: sums.passed + sums.failed + sums.skipped } : null
}
