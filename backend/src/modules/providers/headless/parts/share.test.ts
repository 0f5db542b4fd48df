import type { ModelUsage } from '@slipway/protocol'
import { describe, expect, it } from 'vitest'
import { shareOf } from './share.ts'

const usage = (model: string | null, inputTokens: number | null, costUsd: number | null): ModelUsage => ({
  model,
  inputTokens,
  outputTokens: null,
  cacheReadTokens: null,
  cacheWriteTokens: null,
  costUsd,
})

describe('the share of a process', () => {
  it('is the whole of the first totals', () => {
    expect(shareOf([usage('a', 5, 0.1)])).toEqual([usage('a', 5, 0.1)])
  })

  it('is what its totals have more than those of the process before', () => {
    const before = [usage('a', 3000, 0.0126), usage('b', 10, null)]
    expect(shareOf([usage('a', 4000, 0.0168), usage('b', 10, null), usage('c', 1, null)], before)).toEqual([
      usage('a', 1000, 0.0042),
      usage('c', 1, null),
    ])
  })

  it('is the whole of totals that have begun anew', () => {
    const before = [usage('a', 3000, 0.2), usage('b', 10, null)]
    expect(shareOf([usage('a', 4000, 0.1), usage('b', 20, null)], before)).toHaveLength(2)
    expect(shareOf([usage('a', 4000, 0.3)], before)).toEqual([usage('a', 4000, 0.3)])
  })

  it('leaves unknown what the totals do not tell', () => {
    expect(shareOf([usage(null, null, 0.3)], [usage(null, 7, null)])).toEqual([usage(null, null, 0.3)])
    expect(shareOf([usage(null, 8, null)], [usage(null, null, null)])).toEqual([usage(null, 8, null)])
  })
})
