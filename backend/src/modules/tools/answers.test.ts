import { type CodingResult, type CodingSession, TOOL_ANSWER_MAX, TOOL_LIST_MAX } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { fit, ofActive, ofAgents, ofResult, ofTasks } from './answers.ts'

const ID = '0197a000-0000-7000-8000-000000000000'
const RESULT: CodingResult = {
  id: ID,
  sessionId: ID,
  userId: 'u',
  agent: 'atlas',
  provider: 'claude-code',
  prompt: 'Fix the failing test',
  cwd: '/home/developer',
  model: null,
  success: true,
  output: 'It is fixed.',
  exitCode: 0,
  reason: 'completed',
  error: null,
  durationMs: 41_200,
  archivedAt: null,
  costUsd: 0.1234,
  costEstimated: true,
  cliSessionId: null,
  mode: 'auto',
  createdAt: '2026-01-01T00:00:00.000Z',
  changesDetected: true,
  filesChanged: 2,
  insertions: 10,
  deletions: 3,
}
const { success: _success, sessionId: _sessionId, output: _output, durationMs: _durationMs, ...COMMON } = RESULT
const SESSION: CodingSession = {
  ...COMMON,
  displayName: 'Claude Code',
  state: 'running',
  policy: null,
  waitsFor: null,
  validation: null,
  gate: null,
  startedAt: null,
  continuesAt: null,
  completedAt: null,
  reason: null,
  exitCode: null,
  result: null,
  scheduleId: null,
  conversationId: null,
  inPieces: [],
  lastSeq: 3,
}

describe('the answer about a task', () => {
  it('has the facts, then the words of the CLI', () => {
    expect(ofResult(RESULT)).toEqual({
      text: [
        `Task ${ID} completed. It took 41 s: claude-code in atlas, folder /home/developer.`,
        'Files changed: 2, with 10 lines added and 3 removed.',
        'Cost: 0.1234 US dollars, estimated.',
        'The answer of the CLI:',
        '',
        'It is fixed.',
      ].join('\n'),
      isError: false,
    })
  })

  it('is an error if the task did not complete, and says why', () => {
    const failed = { ...RESULT, success: false, reason: 'timed_out', error: 'It took longer than 5 seconds.' } as const
    const { text, isError } = ofResult({ ...failed, output: '', costUsd: null, changesDetected: null })
    expect(isError).toBe(true)
    expect(text.split('\n')).toEqual([
      `Task ${ID} did not complete (timed_out). It took 41 s: claude-code in atlas, folder /home/developer.`,
      'It took longer than 5 seconds.',
      'The CLI gave no answer.',
    ])
  })

  it('has at most 8,000 characters, and says where the rest is', () => {
    const { text } = ofResult({ ...RESULT, output: 'x'.repeat(20_000) })
    expect(text).toHaveLength(TOOL_ANSWER_MAX)
    expect(text.endsWith(`GET /api/coding-agents/results/${ID} has all of it.]`)).toBe(true)
    expect(ofResult({ ...RESULT, output: 'x'.repeat(7000) }).text).not.toContain('is cut')
  })

  it('is not cut within a character', () => {
    for (const shift of ['', 'x']) {
      const text = fit(shift + '😀'.repeat(TOOL_ANSWER_MAX), 'Ask again.')
      expect(text.isWellFormed()).toBe(true)
      expect(text.length).toBeGreaterThan(TOOL_ANSWER_MAX - 2)
      expect(text.length).toBeLessThanOrEqual(TOOL_ANSWER_MAX)
    }
  })

  it('says how to get the result of a task that has not ended', () => {
    expect(ofActive(SESSION)).toEqual({
      text: `Task ${ID} is running: claude-code in atlas. It goes on by itself. Call get_task_result with result_id "${ID}" to wait for its result.`,
      isError: false,
    })
    expect(ofActive({ ...SESSION, state: 'queued' }).text).toContain('waits in line')
    expect(ofActive({ ...SESSION, state: 'starting' }).text).toContain('is starting')
    const until = '2026-01-01T05:00:00.000Z'
    expect(ofActive({ ...SESSION, state: 'waiting', continuesAt: until }).text).toContain(`usage limit, until ${until}`)
  })
})

describe('the list of tasks', () => {
  it('has one line for each, also if their texts have many', () => {
    const { text } = ofTasks([SESSION, { ...RESULT, prompt: 'One\n\ntwo', output: 'Three\n  four' }])
    expect(text.split('\n')).toEqual([
      `${ID}: is running since 2026-01-01T00:00:00.000Z, claude-code in atlas: Fix the failing test`,
      `${ID}: completed after 41 s, claude-code in atlas: One two | Three four`,
    ])
  })

  it('fits into one answer, however long the texts are', () => {
    const long = { ...RESULT, agent: 'a'.repeat(63), prompt: 'p'.repeat(10_000), output: 'o'.repeat(10_000) }
    const { text } = ofTasks(Array.from({ length: TOOL_LIST_MAX }, () => long))
    expect(text.length).toBeLessThanOrEqual(TOOL_ANSWER_MAX)
    expect(text.split('\n')).toHaveLength(TOOL_LIST_MAX)
  })

  it('says that there are none', () => {
    expect(ofTasks([])).toEqual({ text: 'You have no tasks.', isError: false })
    expect(ofAgents([], [], null).text).toBe('You have no agents.')
  })
})
