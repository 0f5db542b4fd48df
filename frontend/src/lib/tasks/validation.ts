/** A validation in words. */
import type { CheckResult, Validation, ValidationCheck, ValidationState } from '@slipway/protocol'
import type { Shape } from '@/lib/agents/agentState.ts'

const WORDS: Record<ValidationState, string> = {
  waiting: 'Waits for the end of the task',
  running: 'Running',
  passed: 'Passed',
  failed: 'Failed',
  failing_before: 'Failing before',
  not_verified: 'Not verified',
}

export const validationWord = (state: ValidationState): string => WORDS[state]

/** Whether its verdict is still to come. */
export const isOpen = (state: ValidationState): boolean => state === 'waiting' || state === 'running'

const plural = (count: number, word: string): string => `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`

/** The tests of a command: "3 tests", or "1 of 3 tests failed". Empty if they are not known. */
export const testWords = ({ tests }: Pick<CheckResult, 'tests'>): string => {
  if (tests === null) return ''
  const all = plural(tests.total, 'test')
  return tests.failed === 0 ? all : `${tests.failed.toLocaleString('en')} of ${all} failed`
}

/** What all commands together say: "2 commands, 14 tests". */
export const summaryOf = ({ checks }: Pick<Validation, 'checks'>): string => {
  if (checks.length === 0) return ''
  const counts = checks.flatMap(({ after }) => after?.tests ?? [])
  const sum = (of: 'total' | 'failed'): number => counts.reduce((all, one) => all + one[of], 0)
  const tests = testWords({ tests: { total: sum('total'), passed: 0, failed: sum('failed'), skipped: 0 } })
  return [plural(checks.length, 'command'), ...(counts.length === 0 ? [] : [tests])].join(', ')
}

/** What a task that must pass says of its repairs: "repair 1 of 2". */
export const repairWords = (repairs: number, begun: number): string =>
  begun === 0 ? 'must pass' : `repair ${begun} of ${repairs}`

/** Longest line that is shown of a command that runs, in UTF-16 code units. */
const LINE_MAX = 300

/** The last line of an output that is not empty. */
export const lastLineOf = (output: string): string =>
  (output.split('\n').findLast((line) => line.trim() !== '') ?? '').trim().slice(-LINE_MAX)

/** What a task that is started later says of its validation; null if it has none. */
export const validationChoice = (validate: boolean | null, gateRepairs: number | null): string | null => {
  if (gateRepairs !== null)
    return gateRepairs === 0
      ? 'Must pass, without a repair'
      : `Must pass, with ${plural(gateRepairs, 'repair')} at most`
  return validate === true ? 'When it ends' : null
}

/** A command as a person would type it. */
export const commandLine = ({ argv, kind }: Pick<ValidationCheck, 'argv' | 'kind'>): string =>
  (kind === 'command' ? argv.at(-1) : undefined) ?? argv.join(' ')

/** How a command ended, as one of the shapes of states. */
export const shapeOf = (result: CheckResult | null): Shape => {
  if (result === null) return 'stopped'
  if (result.reason !== null) return 'needs-you'
  return result.exitCode === 0 ? 'running' : 'failed'
}

/** The same in a word. */
export const endWord = (result: CheckResult | null): string => {
  if (result === null) return 'not run'
  if (result.reason !== null) return result.reason.replaceAll('_', ' ')
  return result.exitCode === 0 ? 'passed' : `failed with exit code ${result.exitCode ?? 'none'}`
}
