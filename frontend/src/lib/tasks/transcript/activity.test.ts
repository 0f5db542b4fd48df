import type { RunEvent } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { activityOf, gateIn } from './activity.ts'
import { Transcript } from './transcript.ts'

const TASK = { waitsFor: null, startedAt: '2026-01-01T00:00:00Z', createdAt: '2026-01-01T00:00:00Z', cwd: '/' }
const told = (...states: [state: 'running' | 'failed' | 'passed', repair?: number][]) => {
  const transcript = new Transcript({ inPieces: [] })
  transcript.apply(
    states.map(([state, repair = null], at): RunEvent => {
      return { seq: at + 1, at: '2026-01-01T00:01:00Z', type: 'validation', state, message: state, repair }
    }),
  )
  return transcript.entries
}

it('a task that must pass says that it is validated, and which repair begins', () => {
  const during = told(['running'])
  expect(activityOf({ ...TASK, state: 'running' }, during)?.words).toBe('Validating')
  const after = told(['running'], ['failed', 1])
  expect(gateIn(after)).toMatchObject({ id: 2, state: 'failed', repair: 1 })
  expect(activityOf({ ...TASK, state: 'queued' }, after)?.words).toBe('Repair 1 begins')
  expect(activityOf({ ...TASK, state: 'running' }, after)?.words).toBe('Thinking')
  expect(after.map((entry) => entry.kind === 'note' && entry.tone)).toEqual(['quiet', 'warning'])
})

it('a task without a gate is in line as before', () => {
  expect(gateIn([])).toBeNull()
  expect(activityOf({ ...TASK, state: 'queued' }, [])?.words).toBe('In line')
})
