/** Reads lines as a driver of a coding CLI does, and checks each event. */
import { RunHappening } from '@slipway/protocol'
import Value from 'typebox/value'
import { expect } from 'vitest'
import type { HeadlessOptions, Reading } from '../../../src/modules/providers/headless/headless.ts'

/** The time at which every line is read, in milliseconds since 1970. */
export const NOW = Date.parse('2026-11-25T12:00:00Z')

/** A new conversation without a limit, whose CLI asks no questions. */
export const A_TASK = {
  folder: '/home/developer/project',
  model: null,
  sessionId: '0190a6e0-0000-7000-8000-000000000000',
  resume: null,
  skips: true,
  maxTurns: null,
  maxBudgetUsd: null,
} as const satisfies Omit<HeadlessOptions, 'prompt'>

/** Values that a field of a hostile line may have. */
export const HOSTILE_VALUES = [
  ...[undefined, null, true, -1, 1e300, '', 'x'.repeat(100_000)],
  ...[[], [{}], {}, { type: 'x' }, '__proto__', 'constructor'],
]

/** What these lines of standard output are read as. Objects become JSON. */
export const feed = (reading: Reading, ...lines: readonly unknown[]): RunHappening[] => {
  const happenings = lines.flatMap((line) => reading.line(typeof line === 'string' ? line : JSON.stringify(line), NOW))
  for (const one of happenings) expect(Value.Errors(RunHappening, one)).toEqual([])
  return happenings
}

/** The same, with what they say about the end. */
export const readBy = <R extends Reading>(reading: R, lines: readonly unknown[]) => ({
  happenings: feed(reading, ...lines),
  verdict: reading.verdict(),
  reading,
})
