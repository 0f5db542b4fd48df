import type { CodingSession, CodingSessionDiff, RunEvent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { LinesOut } from '../ui/testing/lines-out.ts'
import { jsonReport, textReport } from './report.ts'

const AT = { seq: 1, at: '2030-01-01T00:00:00.000Z' }
const EVENT: RunEvent = { ...AT, type: 'file_change', callId: null, path: 'a\u001b[2J', change: 'added' }
const DIFF = {
  files: [
    { path: 'a', patch: '+new\n' },
    { path: 'b', patch: null },
  ],
  truncated: true,
}
const ENDED = { state: 'failed', reason: 'timed_out', error: 'It took too long.', costUsd: 0.5, costEstimated: true }

const reported = (make: typeof textReport): LinesOut => {
  const stream = new LinesOut()
  const report = make(stream)
  report.event(EVENT)
  report.event({ ...AT, type: 'command', callId: null, command: 'ls', state: 'ended', exitCode: 2, output: '' })
  report.ended(ENDED as CodingSession)
  report.diff(DIFF as CodingSessionDiff)
  return stream
}

it('tells people what a task does, how it ended, and what it changed', () => {
  expect(reported(textReport).text.split('\n')).toEqual([
    ...['● added a\ufffd[2J', '  exit code 2', '✗ It took too long. (≈ $0.50)', '+new', 'b: the diff is not shown'],
    ...['The diff is longer than this.', ''],
  ])
})

it('tells scripts the same as JSON, as it came', () => {
  const { text, values } = reported(jsonReport)
  expect(text).not.toContain('\u001b')
  expect(values[0]).toEqual(EVENT)
  expect(values.slice(2)).toEqual([
    { type: 'ended', session: ENDED },
    { type: 'diff', diff: DIFF },
  ])
})
