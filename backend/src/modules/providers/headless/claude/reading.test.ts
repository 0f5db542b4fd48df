import type { ModelUsage } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { SESSION, OPTIONS, INIT, RESULT, assistant, says, read } from '../../../../../test/support/headless/claude.ts'
import { feed, NOW } from '../../../../../test/support/headless/reading.ts'
import { headless } from '../claude.ts'

describe('a turn of Claude', () => {
  it('starts with the session and the model, and is over with its result', () => {
    const { happenings, verdict } = read(INIT, says('Working.'), RESULT)
    expect(happenings).toEqual([
      { type: 'status', status: 'started', message: 'Claude has started with opus.' },
      { type: 'text', text: 'Working.' },
      { type: 'result', text: 'Done.', isError: false },
    ])
    expect(verdict).toEqual({
      sessionId: SESSION,
      result: 'Done.',
      isOver: true,
      hasWorked: true,
      failure: null,
      usage: [],
      totals: [],
      costUsd: null,
    })
  })

  it('is not over before its result', () =>
    expect(read(INIT, says('Working.')).verdict).toMatchObject({ isOver: false, result: null, hasWorked: true }))

  it('says that it has resumed a session', () => {
    const [started] = headless.read({ ...OPTIONS, resume: SESSION }).line(JSON.stringify(INIT), NOW)
    expect(started).toMatchObject({ status: 'resumed', message: 'Claude has resumed its session with opus.' })
  })

  it('has not worked if it said and did nothing', () => {
    const thinks = assistant({ type: 'thinking', thinking: 'Hm.', signature: 'x' })
    const { happenings, verdict } = read(INIT, thinks, { ...RESULT, result: '' })
    expect(happenings).toContainEqual({ type: 'thinking', text: 'Hm.' })
    expect(verdict).toMatchObject({ hasWorked: false, isOver: true, failure: null, result: '' })
  })

  it('has worked if only its result says something', () => expect(read(INIT, RESULT).verdict.hasWorked).toBe(true))

  it('reports usage and cost as printed, and leaves unknown counts unknown', () => {
    const modelUsage = {
      opus: { inputTokens: 200, outputTokens: 40, cacheReadInputTokens: 5, cacheCreationInputTokens: 0, costUSD: 0.25 },
      haiku: { inputTokens: 7, outputTokens: 'many', costUSD: -1 },
    }
    const models = [
      { model: 'opus', inputTokens: 200, outputTokens: 40, cacheReadTokens: 5, cacheWriteTokens: 0, costUsd: 0.25 },
      {
        ...{ model: 'haiku', inputTokens: 7, outputTokens: null, cacheReadTokens: null },
        ...{ cacheWriteTokens: null, costUsd: null },
      },
    ]
    const { happenings, verdict } = read(INIT, { ...RESULT, modelUsage, total_cost_usd: 0.3 })
    expect(happenings).toContainEqual({ type: 'usage', models })
    expect(verdict).toMatchObject({ usage: models, costUsd: 0.3 })
  })

  it('counts only its own share of the totals of a session that it resumed', () => {
    const totals = (inputTokens: number, costUSD: number) => ({ modelUsage: { opus: { inputTokens, costUSD } } })
    const read = (totalsBefore: ModelUsage[], result: object) => {
      const reading = headless.read({ ...OPTIONS, resume: SESSION, totalsBefore })
      reading.line(JSON.stringify({ ...RESULT, ...result }), NOW)
      return reading.verdict()
    }
    const first = read([], { ...totals(3000, 0.0126), total_cost_usd: 0.0126 })
    const second = read([...(first.totals ?? [])], { ...totals(4000, 0.0168), total_cost_usd: 0.0168 })
    expect(second).toMatchObject({ usage: [{ model: 'opus', inputTokens: 1000, costUsd: 0.0042 }], costUsd: 0.0042 })
    expect(second.totals).toMatchObject([{ inputTokens: 4000, costUsd: 0.0168 }])
  })

  it('counts each message once until its result has the totals', () => {
    const message = (id: string, text: string) => ({
      type: 'assistant',
      message: {
        ...{ id, model: 'opus', content: [{ type: 'text', text }] },
        usage: { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 5, output_tokens: 1 },
      },
    })
    const lines = [INIT, message('a', 'One.'), message('a', 'Two.'), message('b', 'Three.')]
    const counted = { model: 'opus', inputTokens: 20, cacheReadTokens: 10, cacheWriteTokens: 4, outputTokens: 2 }
    expect(read(...lines).verdict).toMatchObject({ usage: [{ ...counted, costUsd: null }], totals: [], costUsd: null })
    const ended = read(...lines, { ...RESULT, modelUsage: { opus: { inputTokens: 21 } } })
    expect(ended.verdict.usage).toMatchObject([{ model: 'opus', inputTokens: 21, outputTokens: null }])
  })

  it('counts what its messages say if the totals before are not known, and not what a deleted user spent', () => {
    const reading = headless.read({ ...OPTIONS, resume: SESSION, totalsBefore: null })
    const used = { input_tokens: 10, cache_creation_input_tokens: 2, cache_read_input_tokens: 5, output_tokens: 1 }
    const modelUsage = { opus: { inputTokens: 90_000, costUSD: 41.5 } }
    const happenings = feed(
      reading,
      { type: 'assistant', message: { id: 'a', model: 'opus', content: [], usage: used } },
      { ...RESULT, modelUsage, total_cost_usd: 41.5 },
    )
    const own = {
      ...{ model: 'opus', inputTokens: 10, outputTokens: 1, cacheReadTokens: 5, cacheWriteTokens: 2 },
      costUsd: null,
    }
    expect(happenings).toContainEqual({ type: 'usage', models: [own] })
    expect(reading.verdict()).toMatchObject({ usage: [own], costUsd: null, totals: [{ costUsd: 41.5 }] })
  })

  it('goes on after its result if a background command ends, and the later result wins', () => {
    const failed = { ...RESULT, is_error: true, result: 'API Error: 500' }
    const first = [INIT, says('I wait.'), { ...RESULT, result: 'I wait.', total_cost_usd: 1 }]
    expect(read(...first, INIT).verdict).toMatchObject({ isOver: false, result: 'I wait.' })
    expect(read(...first, INIT).happenings).toHaveLength(3)
    expect(read(...first, says('All tests pass.')).verdict.isOver).toBe(false)
    const last = { ...RESULT, result: 'All tests pass.', total_cost_usd: 2 }
    expect(read(...first, INIT, last).verdict).toMatchObject({ isOver: true, result: 'All tests pass.', costUsd: 2 })
    expect(read(...first, { ...RESULT, result: '' }).verdict.result).toBe('I wait.')
    expect(read(...first, failed).verdict.failure).toMatchObject({ reason: 'cli_error' })
    expect(read(INIT, failed, RESULT).verdict).toMatchObject({ failure: null, result: 'Done.' })
  })

  it('leaves out partial messages, whose whole block follows', () => {
    const partial = { type: 'stream_event', event: { type: 'content_block_delta', delta: { text: 'part' } } }
    expect(read(partial)).toMatchObject({ happenings: [], verdict: { hasWorked: false } })
  })

  it('shows sentences of both outputs that are no JSON as notices', () => {
    const reading = headless.read(OPTIONS)
    const notice = { type: 'status', status: 'notice', message: 'Error: Session ID is already in use.' }
    expect(reading.errorLine?.(' Error: Session ID is already in use.', NOW)).toEqual([notice])
    expect(reading.line('Error: Session ID is already in use.', NOW)).toEqual([notice])
    expect(reading.errorLine?.('  ', NOW)).toEqual([])
    expect(reading.verdict()).toMatchObject({ hasWorked: false, failure: null })
  })
})
