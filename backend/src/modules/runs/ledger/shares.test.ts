import type { ModelUsage } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { estimateOf } from './prices.ts'
import { costOf, sharesOf } from './shares.ts'

const usage = (more: Partial<ModelUsage> = {}): ModelUsage => ({
  ...{ model: null, inputTokens: 1_000_000, outputTokens: 100_000, cacheReadTokens: 2_000_000, cacheWriteTokens: null },
  costUsd: null,
  ...more,
})
const worked = (...models: ModelUsage[]) => ({ usage: models, costUsd: null, hasWorked: true })

describe('an estimate', () => {
  it('has a price for each kind of tokens', () => {
    // 1 x 1.25 + 2 x 0.125 + 0.1 x 10
    expect(estimateOf('gpt-5', usage())).toBeCloseTo(2.5)
    // 1 x 5 + 1 x 6.25
    expect(
      estimateOf('claude-opus-5', { ...usage({ outputTokens: null, cacheReadTokens: null, cacheWriteTokens: 1e6 }) }),
    ).toBeCloseTo(11.25)
  })

  it.each([
    'openai/gpt-5',
    'gpt-5-2026-03-05',
    'GPT-5',
    'claude-sonnet-4.5',
    'claude-sonnet-4-5-20250929',
    'claude-opus-5[1m]',
  ])('knows the model by the name %s', (name) => expect(estimateOf(name, usage())).toBeGreaterThan(0))

  it.each(['', 'gpt-50', 'gpt-5-turbo', 'constructor', 'my-model'])('is unknown for the model "%s"', (name) =>
    expect(estimateOf(name, usage())).toBeNull(),
  )

  it('is unknown without tokens', () =>
    expect(estimateOf('gpt-5', usage({ inputTokens: null, outputTokens: null }))).toBeNull())
})

describe('the shares of a run', () => {
  it('keep the cost that the CLI tells, and estimate the others', () => {
    const shares = sharesOf(worked(usage({ model: 'gpt-5', costUsd: 0.5 }), usage({ model: 'gpt-5.5' })), 'asked')
    expect(shares).toMatchObject([
      { model: 'gpt-5', costUsd: 0.5, estimated: false },
      { model: 'gpt-5.5', costUsd: 9, estimated: true },
    ])
    expect(costOf(shares)).toEqual({ costUsd: 9.5, costEstimated: true })
  })

  it('have the model that was asked for if the CLI names none', () => {
    expect(sharesOf(worked(usage()), 'gpt-5')).toMatchObject([{ model: 'gpt-5', costUsd: 2.5, estimated: true }])
    expect(sharesOf(worked(usage()), null)).toMatchObject([{ model: '', costUsd: null, estimated: false }])
  })

  it('say that nothing is known of a run that worked and tells nothing', () => {
    const shares = sharesOf(worked(), 'gpt-5')
    expect(shares).toMatchObject([{ model: 'gpt-5', inputTokens: null, costUsd: null }])
    expect(costOf(shares)).toEqual({ costUsd: null, costEstimated: false })
    expect(sharesOf({ ...worked(), hasWorked: false }, 'gpt-5')).toEqual([])
  })

  it('have a cost that the CLI tells alone, and zero is a cost', () => {
    expect(sharesOf({ ...worked(), costUsd: 0 }, null)).toMatchObject([{ model: '', inputTokens: null, costUsd: 0 }])
  })

  it('bound what a CLI can claim, and join what has the same name', () => {
    const long = 'x'.repeat(300)
    const shares = sharesOf(
      worked(usage({ model: `${long}a`, inputTokens: 2 ** 52, costUsd: 1e300 }), usage({ model: `${long}b` })),
      null,
    )
    expect(shares).toMatchObject([{ model: 'x'.repeat(200), inputTokens: 1e12, costUsd: 10_000 }])
    expect(sharesOf(worked(usage({ model: 'a\0' })), null)).toMatchObject([{ model: 'a\uFFFD' }])
  })
})
