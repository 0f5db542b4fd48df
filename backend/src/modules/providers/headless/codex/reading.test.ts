import { describe, expect, it } from 'vitest'
import { THREAD, read, started, completed, answer, usage } from '../../../../../test/support/headless/codex.ts'

describe('the reader of Codex', () => {
  it('names the session, and keeps the last message as the answer', () => {
    const { happenings, verdict } = read([
      started,
      completed({ type: 'agent_message', text: 'First I look.' }),
      answer,
      { type: 'turn.completed', usage },
    ])
    expect(happenings.map(({ type }) => type)).toEqual(['status', 'text', 'text', 'usage', 'result'])
    expect(happenings.at(-1)).toEqual({ type: 'result', text: 'Done.', isError: false })
    expect(verdict).toMatchObject({ sessionId: THREAD, result: 'Done.', isOver: true, hasWorked: true, failure: null })
  })

  it('says that it resumed', () => {
    expect(read([started], { resume: THREAD }).happenings).toMatchObject([{ type: 'status', status: 'resumed' }])
    expect(read([started]).happenings).toMatchObject([{ type: 'status', status: 'started' }])
  })

  it('reports its usage without a model and a price, and the input without what came from the cache', () => {
    const { verdict } = read([answer, { type: 'turn.completed', usage }])
    expect(verdict.costUsd).toBeNull()
    expect(verdict.usage).toEqual([
      {
        model: null,
        inputTokens: 120,
        outputTokens: 40,
        cacheReadTokens: 80,
        cacheWriteTokens: 0,
        costUsd: null,
      },
    ])
  })

  it('counts only its own share of the totals of a session that it resumed', () => {
    const { totals = [] } = read([answer, { type: 'turn.completed', usage }]).verdict
    const twice = Object.fromEntries(Object.entries(usage).map(([name, count]) => [name, 2 * count]))
    const { happenings, verdict } = read([answer, { type: 'turn.completed', usage: twice }], {
      resume: THREAD,
      totalsBefore: totals,
    })
    expect(verdict.usage).toEqual(totals)
    expect(verdict.totals).toMatchObject([{ inputTokens: 240, cacheReadTokens: 160, outputTokens: 80 }])
    expect(happenings).toContainEqual({ type: 'usage', models: totals })
  })

  it('does not know its share if the totals before are not known', () => {
    const { verdict } = read([answer, { type: 'turn.completed', usage }], { resume: THREAD, totalsBefore: null })
    expect(verdict).toMatchObject({ usage: [], totals: [{ inputTokens: 120 }], hasWorked: true })
  })

  it('takes zeros, and a turn without usage, for unknown', () => {
    const zeros = { input_tokens: 0, cached_input_tokens: 0, output_tokens: 0 }
    for (const event of [{ type: 'turn.completed', usage: zeros }, { type: 'turn.completed' }]) {
      const { happenings, verdict } = read([answer, event])
      expect(verdict.usage).toEqual([])
      expect(happenings.map(({ type }) => type)).toEqual(['text', 'result'])
    }
    const { verdict } = read([answer, { type: 'turn.completed', usage: { input_tokens: 7, output_tokens: 'many' } }])
    expect(verdict.usage).toMatchObject([{ inputTokens: 7, outputTokens: null, cacheReadTokens: null }])
  })

  it('takes a turn without any item for one without work, also if it has thought', () => {
    const { verdict } = read([
      started,
      { type: 'turn.started' },
      completed({ type: 'reasoning', text: 'Hm.' }),
      completed({ type: 'error', message: 'Model metadata not found.' }),
      { type: 'turn.completed', usage },
    ])
    expect(verdict).toMatchObject({ isOver: true, hasWorked: false, result: null, failure: null })
  })

  it('leaves an interrupted turn open, with its command', () => {
    const item = {
      id: 'item_0',
      type: 'command_execution',
      command: 'sleep 60',
      exit_code: null,
      status: 'in_progress',
    }
    const { happenings, verdict } = read([started, { type: 'item.started', item }])
    expect(happenings.at(-1)).toMatchObject({ type: 'command', state: 'started', callId: 'item_0' })
    expect(verdict).toMatchObject({ isOver: false, hasWorked: true, failure: null, usage: [], costUsd: null })
  })

  it('does not tell again what the model repeats after a connection that broke', () => {
    const first = completed({ type: 'agent_message', text: 'First I look.' })
    const broken = { type: 'error', message: 'Reconnecting... 1/5 (stream disconnected before completion)' }
    const { happenings, verdict } = read([started, first, broken, first, answer, { type: 'turn.completed', usage }])
    expect(happenings.map(({ type }) => type)).toEqual(['status', 'text', 'status', 'text', 'usage', 'result'])
    expect(verdict).toMatchObject({ result: 'Done.', failure: null })
  })
})
