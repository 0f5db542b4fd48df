import { describe, expect, it } from 'vitest'
import type { Verdict } from '../../providers/headless/headless.ts'
import type { Outcome, RunEnd } from '../end.ts'
import { Meter, type MeteredRun } from './meter.ts'

const says = (more: Partial<Verdict>): Verdict => ({
  ...{ sessionId: null, result: null, isOver: false, hasWorked: true, failure: null, usage: [], costUsd: null },
  ...more,
})
const COMPLETED: RunEnd = { state: 'completed', reason: 'completed', error: null, exitCode: 0 }

/** A meter, and what it did. */
const meterOf = (limits: Partial<MeteredRun> = {}) => {
  let exhaust: (message: string) => void = () => undefined
  const spent: number[] = []
  const run = { id: 'run', userId: 'user', model: null, maxTurns: null, maxBudgetUsd: null, spentUsd: 0, ...limits }
  const meter = new Meter(
    {
      watch: ({ spentUsd }, end) => {
        spent.push(spentUsd)
        exhaust = end
        return { spent: (costUsd) => spent.push(costUsd), leave: () => spent.push(-1) }
      },
    },
    run,
  )
  const outcome = (): Promise<Outcome | null> => Promise.race([meter.limited, Promise.resolve(null)])
  return { meter, spent, outcome, exhaust: (message: string) => exhaust(message) }
}

describe('the meter of a run', () => {
  it('tells its cost by now for the budgets, reported or estimated, until the run is left', () => {
    const { meter, spent } = meterOf({ model: 'gpt-5' })
    meter.read(says({}))
    meter.read(says({ costUsd: 0.5 }))
    const tokens = { inputTokens: 1e6, outputTokens: 0, cacheReadTokens: null, cacheWriteTokens: null }
    meter.read(says({ usage: [{ model: null, ...tokens, costUsd: null }] }))
    meter.leave()
    expect(spent).toEqual([0, 0, 0.5, 1.25, -1])
  })

  it('ends the run at its budget, and at the turn after its last one', async () => {
    const poor = meterOf({ maxBudgetUsd: 1 })
    poor.meter.read(says({ costUsd: 0.99 }))
    expect(await poor.outcome()).toBeNull()
    poor.meter.read(says({ costUsd: 1 }))
    expect(await poor.outcome()).toEqual({ kind: 'max_budget', costUsd: 1, limitUsd: 1 })
    const short = meterOf({ maxTurns: 2 })
    short.meter.read(says({ turns: 2 }))
    expect(await short.outcome()).toBeNull()
    short.meter.read(says({ turns: 3 }))
    expect(await short.outcome()).toEqual({ kind: 'max_turns', turns: 2 })
  })

  it('counts what earlier processes of the run have cost, for the budgets and for its own', async () => {
    const { meter, spent, outcome } = meterOf({ maxBudgetUsd: 5, spentUsd: 4.5 })
    meter.read(says({}))
    meter.read(says({ costUsd: 0.25 }))
    expect([spent, await outcome()]).toEqual([[4.5, 4.5, 4.75], null])
    meter.read(says({ costUsd: 0.5 }))
    expect(await outcome()).toEqual({ kind: 'max_budget', costUsd: 5, limitUsd: 5 })
    // The ledger has the earlier ones already.
    expect(meter.settled(COMPLETED, says({ costUsd: 0.75 }))).toMatchObject({
      ...{ state: 'failed', reason: 'max_budget', costUsd: 0.75, usage: [{ costUsd: 0.75 }] },
      error: 'The run cost $5.25, and its budget was $5.00.',
    })
    expect(meter.settled(COMPLETED, says({ costUsd: 0.5 }))).toMatchObject({ state: 'completed', costUsd: 0.5 })
  })

  it('ends a run at once whose earlier processes have used up its budget', async () => {
    const { meter, outcome } = meterOf({ maxBudgetUsd: 5, spentUsd: 5.5 })
    meter.read(says({}))
    expect(await outcome()).toEqual({ kind: 'max_budget', costUsd: 5.5, limitUsd: 5 })
  })

  it('does not end a run that has no limit, whose cost is unknown, or that has done its work', async () => {
    const unlimited = meterOf()
    unlimited.meter.read(says({ costUsd: 1000, turns: 1000 }))
    const unknown = meterOf({ maxBudgetUsd: 1, maxTurns: 1 })
    unknown.meter.read(says({}))
    const over = meterOf({ maxBudgetUsd: 1 })
    over.meter.read(says({ costUsd: 2, isOver: true }))
    over.exhaust('The budget is used up.')
    for (const { outcome } of [unlimited, unknown, over]) expect(await outcome()).toBeNull()
    unlimited.exhaust('The budget is used up.')
    expect(await unlimited.outcome()).toEqual({ kind: 'budget_exhausted', message: 'The budget is used up.' })
  })

  it('lets a run fail whose work cost more than its budget, and leaves every other end as it is', () => {
    const { meter } = meterOf({ maxBudgetUsd: 1 })
    expect(meter.settled(COMPLETED, says({ costUsd: 2 }))).toMatchObject({
      ...{ state: 'failed', reason: 'max_budget', exitCode: 0, costUsd: 2, costEstimated: false },
      error: 'The run cost $2.00, and its budget was $1.00.',
      usage: [{ model: '', costUsd: 2 }],
    })
    expect(meter.settled(COMPLETED, says({ costUsd: 1 }))).toMatchObject({ state: 'completed', costUsd: 1 })
    const lost = { ...COMPLETED, state: 'failed', reason: 'lost' } as const
    expect(meter.settled(lost, says({ costUsd: 2 }))).toMatchObject({ reason: 'lost', costUsd: 2 })
  })
})
