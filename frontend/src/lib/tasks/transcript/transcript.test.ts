import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunHappening, RunEvent, TextEvent } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { SHOWN_MAX } from './cut.ts'
import type { Entry, StepEntry } from './entries.ts'
import { DROPPED_AT_ONCE, ENTRIES_MAX, Transcript } from './transcript.ts'

/** What the backend reads of a recorded turn. */
const OPENCODE_ASKS = join(
  import.meta.dirname,
  '../../../../../backend/test/fixtures/acp/opencode/asks-all.golden.json',
)

/** Numbers happenings from 1, one a second. */
const numbered = (happenings: readonly RunHappening[]): RunEvent[] =>
  happenings.map((happening, index) => ({
    seq: index + 1,
    at: new Date(Date.UTC(2026, 10, 26, 12, 0, index)).toISOString(),
    ...happening,
  }))
const gathered = (happenings: readonly RunHappening[], inPieces: TextEvent[] = []): Transcript => {
  const transcript = new Transcript({ inPieces })
  transcript.apply(numbered(happenings))
  return transcript
}
const stepIn = (entries: readonly Entry[]): StepEntry => {
  const step = entries.find((entry) => entry.kind === 'step')
  if (step?.kind !== 'step') throw new Error('there is no step')
  return step
}
const text = (value: string): RunHappening => ({ type: 'text', text: value })
const call: RunHappening = {
  type: 'tool_call',
  callId: 'a',
  name: 'Read',
  input: { file_path: '/home/developer/a.ts' },
}

describe('the rows of a task', () => {
  it('say of a step that it waits for people, until they answer', () => {
    const question: RunHappening = { type: 'question', requestId: 'q', callId: 'a', title: 'May I?' }
    expect(stepIn(gathered([call, question]).entries).isAsked).toBe(true)
    const answer: RunHappening = { type: 'answer', requestId: 'q', decision: 'deny', text: 'Denied.', by: null }
    expect(stepIn(gathered([call, question, answer]).entries)).toMatchObject({ isAsked: false, isRefused: true })
  })

  it('have a question where it was asked, with its answer, or without one at the end', () => {
    const question = (requestId: string): RunHappening => ({
      type: 'question',
      requestId,
      callId: null,
      title: 'May I?',
    })
    const transcript = gathered([
      question('a'),
      question('b'),
      text('meanwhile'),
      { type: 'answer', requestId: 'a', decision: 'deny', text: 'Denied.', by: 'ann@example.org' },
      { type: 'answer', requestId: 'unknown', decision: 'deny', text: 'Denied.', by: null },
    ])
    transcript.end()
    expect(transcript.entries).toMatchObject([
      { kind: 'question', requestId: 'a', answer: { text: 'Denied.', by: 'ann@example.org' }, isLeft: false },
      { kind: 'question', requestId: 'b', answer: null, isLeft: true },
      { kind: 'text' },
    ])
  })

  it('have a call, its change and its result as one step', () => {
    const { entries } = gathered([
      { type: 'tool_call', callId: 'a', name: 'Edit', input: { file_path: '/x', old_string: 'a', new_string: 'b' } },
      text('meanwhile'),
      { type: 'tool_result', callId: 'a', text: 'ok', isError: false },
      { type: 'file_change', callId: 'a', path: '/x', change: 'modified' },
    ])
    expect(entries.map(({ kind }) => kind)).toEqual(['step', 'text'])
    expect(stepIn(entries)).toMatchObject({
      ...{
        object: '/x',
        edit: { before: 'a', after: 'b' },
        changes: [{ path: '/x', change: 'modified' }],
        state: 'done',
      },
      result: { text: 'ok', isCut: false },
    })
  })

  it('have a command with its exit code and its output', () => {
    const command = { type: 'command', callId: null, command: 'npm test' } as const
    const running = gathered([{ ...command, state: 'started', exitCode: null, output: '' }])
    expect(stepIn(running.entries)).toMatchObject({ state: 'running', command: { exitCode: null } })
    running.apply([{ seq: 2, at: '', ...command, state: 'ended', exitCode: 2, output: 'boom' }])
    expect(running.entries).toHaveLength(1)
    expect(stepIn(running.entries)).toMatchObject({
      state: 'failed',
      command: { exitCode: 2 },
      result: { text: 'boom' },
    })
  })

  it('are the same objects as long as nothing about them changes', () => {
    const transcript = gathered([call, text('one')])
    const before = transcript.entries
    transcript.apply([{ seq: 3, at: '', type: 'tool_result', callId: 'a', text: 'ok', isError: false }])
    expect(transcript.entries[1]).toBe(before[1])
    expect(transcript.entries[0]).not.toBe(before[0])
  })

  it('skip events that have come before, so that a stream may begin again', () => {
    const events = numbered([text('one'), text('two'), text('three')])
    const transcript = new Transcript({ inPieces: [] })
    transcript.apply(events.slice(0, 2))
    transcript.apply(events)
    expect(transcript.entries.map((entry) => entry.kind === 'text' && entry.text)).toEqual(['one', 'two', 'three'])
    expect(transcript.seq).toBe(3)
  })

  it('join the pieces of an answer where texts come in pieces, and keep other texts apart', () => {
    expect(gathered([text('Hel'), text('lo')], ['text']).entries).toMatchObject([{ text: 'Hello' }])
    expect(gathered([text('One.'), text('Two.')]).entries).toMatchObject([{ text: 'One.' }, { text: 'Two.' }])
  })

  it('join the pieces of thoughts alone where only they come in pieces', () => {
    const thought = (value: string): RunHappening => ({ type: 'thinking', text: value })
    const { entries } = gathered([thought('H'), thought('m'), text('One.'), text('Two.')], ['thinking'])
    expect(entries).toMatchObject([{ kind: 'thinking', text: 'Hm' }, { text: 'One.' }, { text: 'Two.' }])
  })

  it('have each answer of OpenCode whole, which tells it in chunks while it asks people', () => {
    const { happenings } = JSON.parse(readFileSync(OPENCODE_ASKS, 'utf8')) as { happenings: RunHappening[] }
    const { entries } = gathered(happenings, ['text', 'thinking'])
    const texts = entries.flatMap((entry) => (entry.kind === 'text' ? [entry.text] : []))
    expect(texts).toEqual(['I will start.', 'All done.'])
  })

  it('tell the last answer once, also if a tool came after it', () => {
    const told = gathered([text('Done.'), call, { type: 'result', text: 'Done.', isError: false }])
    expect(told.entries).toMatchObject([{ text: 'Done.', isAnswer: true }, { kind: 'step' }])
    expect(gathered([{ type: 'result', text: 'Done.', isError: false }]).entries).toMatchObject([{ isAnswer: true }])
  })

  it('tell a failure once, although the CLI says it as a notice and as its result, too', () => {
    const { entries } = gathered([
      { type: 'status', status: 'notice', message: 'broken' },
      { type: 'error', message: 'broken', status: 400 },
      { type: 'result', text: 'broken', isError: true },
    ])
    expect(entries).toMatchObject([{ kind: 'note', tone: 'error', text: 'broken' }])
  })

  it('show the newest plan in full, and earlier ones as a line', () => {
    const plan = (state: 'pending' | 'completed'): RunHappening => ({ type: 'plan', items: [{ text: 'x', state }] })
    expect(gathered([plan('pending'), text('a'), plan('completed')]).entries).toMatchObject([
      { kind: 'plan', isLatest: false },
      { kind: 'text' },
      { kind: 'plan', isLatest: true, items: [{ state: 'completed' }] },
    ])
    expect(gathered([plan('pending'), plan('completed')]).entries).toHaveLength(1)
  })

  it('keep only the beginning of a long result, and the number of its event', () => {
    const long = 'x'.repeat(SHOWN_MAX + 1)
    const { result } = stepIn(
      gathered([call, { type: 'tool_result', callId: 'a', text: long, isError: false }]).entries,
    )
    expect(result).toMatchObject({ isCut: true, length: long.length, seq: 2 })
    expect(result!.text.length).toBeLessThan(SHOWN_MAX)
  })

  it('drop the oldest ones beyond their bound, and still find the step of a result', () => {
    const transcript = gathered([...Array.from({ length: ENTRIES_MAX }, () => text('x')), call])
    expect(transcript.entries).toHaveLength(ENTRIES_MAX + 1 - DROPPED_AT_ONCE)
    expect(transcript.dropped).toBe(DROPPED_AT_ONCE)
    transcript.apply([{ seq: ENTRIES_MAX + 2, at: '', type: 'tool_result', callId: 'a', text: 'ok', isError: false }])
    expect(stepIn(transcript.entries)).toMatchObject({ name: 'Read', state: 'done' })
  })

  it('say of a step that it did not finish when the task has ended', () => {
    const transcript = gathered([call])
    transcript.end()
    expect(stepIn(transcript.entries).state).toBe('left')
  })
})

describe('what a task has used', () => {
  const usage = (outputTokens: number): RunHappening => ({
    type: 'usage',
    models: [
      ...[{ model: 'm', inputTokens: 10, outputTokens, cacheReadTokens: null, cacheWriteTokens: 5, costUsd: null }],
    ],
  })

  it('is the last total of each process, because a process counts from the beginning', () => {
    const { used } = gathered([
      ...[usage(1), usage(20)],
      { type: 'status', status: 'resumed', message: 'again' },
      usage(3),
    ])
    expect(used).toEqual({ inputTokens: 30, outputTokens: 23, cachedTokens: null, costUsd: null })
  })
})
