/** A validation as events of its run. */
import { randomUUID } from 'node:crypto'
import type { CheckResult, RunHappening, ValidationCheck } from '@slipway/protocol'
import { commandOf } from './prompt.ts'

/** What was run: each command with its exit code, and its output unless that is left out. */
export const checkEvents = (checks: readonly ValidationCheck[], hasOutput: boolean): RunHappening[] =>
  checks.flatMap((check) =>
    (['after', 'before'] as const).flatMap((when) => {
      const result = check[when]
      return result === null ? [] : [commandEvent(check, when, hasOutput ? result : { ...result, output: '' })]
    }),
  )

const commandEvent = (
  check: ValidationCheck,
  when: 'after' | 'before',
  { exitCode, reason, output }: CheckResult,
): RunHappening => {
  const folder = check.folder === '' ? [] : [`in ${check.folder}`]
  const then = when === 'before' ? ['at the start of the task'] : []
  const notes = [...folder, ...then, ...(reason === null ? [] : [reason.replaceAll('_', ' ')])]
  const command = notes.length === 0 ? commandOf(check) : `${commandOf(check)}  # ${notes.join(', ')}`
  return { type: 'command', callId: randomUUID(), command, state: 'ended', exitCode, output }
}
