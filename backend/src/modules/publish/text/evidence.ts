/** The evidence of a validation as a part of a pull request's text. */
import type { CheckResult, Validation, ValidationCheck } from '@slipway/protocol'

/** Most commands in the text, and the longest one. */
const COMMANDS_MAX = 20
const COMMAND_MAX = 200

const VERDICTS: Partial<Record<Validation['state'], string>> = {
  passed: 'passed',
  failed: 'failed',
  failing_before: 'fails, as it did at the start of the task',
  not_verified: 'not verified',
}

/** The verdict and how each command ended, without its output. Empty until there is a verdict. */
export const evidenceOf = ({ state, message, checks }: Validation): string => {
  const verdict = VERDICTS[state]
  if (verdict === undefined) return ''
  const said = state === 'not_verified' && message !== null ? `. ${message}` : ''
  const rows = checks.slice(0, COMMANDS_MAX).map(rowOf)
  const left = checks.length - rows.length
  const more = left > 0 ? [`- and ${left} more`] : []
  return [`Validation: ${verdict}${said}`, [...rows, ...more].join('\n')].filter((part) => part !== '').join('\n\n')
}

const rowOf = ({ argv, kind, folder, after }: ValidationCheck): string => {
  const command = (kind === 'command' ? argv.at(-1) : undefined) ?? argv.join(' ')
  const place = folder === '' ? '' : ` in ${codeOf(folder)}`
  return `- ${codeOf(command)}${place}: ${after === null ? 'not run' : endOf(after)}`
}

const endOf = ({ exitCode, durationMs, tests, reason }: CheckResult): string => {
  const end = exitCode === null ? (reason ?? 'did not end').replaceAll('_', ' ') : `exit code ${exitCode}`
  const counts = tests ? `, ${tests.passed} of ${tests.total} tests passed` : ''
  return `${end}${counts}, ${(durationMs / 1_000).toFixed(1)} s`
}

/** In one line of Markdown that the text cannot leave. */
const codeOf = (text: string): string => {
  const line = text.slice(0, COMMAND_MAX).replaceAll(/\s+/g, ' ')
  const fence = '`'.repeat(Math.max(0, ...(line.match(/`+/g) ?? []).map(({ length }) => length)) + 1)
  return fence === '`' ? `\`${line}\`` : `${fence} ${line} ${fence}`
}
