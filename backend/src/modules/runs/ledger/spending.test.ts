import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { silentLog } from '../../../lib/log.ts'
import type { Account } from './budget-repository.ts'
import type { Month } from './month.ts'
import { Spending } from './spending.ts'

const PLATFORM = { userId: null, limitUsd: 10, spentUsd: 0 }
const ANN = { userId: 'ann', limitUsd: 3, spentUsd: 1 }
const NOW = Date.parse('2026-11-26T12:00:00Z')

/** Budgets of a test, and what was asked for. */
const spendingWith = (...accounts: Account[]) => {
  const asked: { month: Month; userIds: readonly string[]; except: readonly string[] }[] = []
  const repository = {
    accounts: (month: Month, userIds: readonly string[], except: readonly string[]) => {
      asked.push({ month, userIds, except })
      return Promise.resolve(accounts.filter(({ userId }) => userId === null || userIds.includes(userId)))
    },
  }
  const spending = new Spending({ repository, clock: { now: () => NOW }, log: silentLog })
  const ended: string[] = []
  const watch = (id: string, userId: string, spentUsd = 0) =>
    spending.watch({ id, userId, spentUsd }, (message) => ended.push(`${id}: ${message}`))
  return { spending, asked, ended, watch }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

describe('a budget', () => {
  it('counts what active runs cost by now, and those runs not twice', async () => {
    const { spending, watch, asked, ended } = spendingWith(ANN)
    const [one, two, other] = [watch('1', 'ann'), watch('2', 'ann'), watch('3', 'bob')]
    one.spent(0.9)
    two.spent(1)
    other.spent(100)
    await spending.check()
    expect(ended).toEqual([])
    two.spent(1.1)
    await spending.check()
    const text =
      "The user's budget of $3.00 for November 2026 is used up. It begins anew on 2026-12-01 (UTC). An admin can raise it."
    expect(ended).toEqual([`1: ${text}`, `2: ${text}`])
    expect(asked[0]).toMatchObject({ userIds: ['ann', 'bob'], except: ['1', '2', '3'] })
  })

  it('counts what earlier processes of active runs have cost, before these runs say anything', async () => {
    const { spending, watch, ended } = spendingWith(ANN)
    const first = watch('1', 'ann', 1.5)
    await spending.require('ann')
    watch('2', 'ann', 0.5)
    await expect(spending.require('ann')).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' })
    await spending.check()
    expect(ended).toHaveLength(2)
    first.leave()
    await spending.require('ann')
  })

  it('of the platform ends the runs of all users', async () => {
    const { spending, watch, ended } = spendingWith(PLATFORM)
    watch('1', 'ann').spent(6)
    watch('2', 'bob').spent(4)
    await spending.check()
    expect(ended).toHaveLength(2)
    for (const text of ended) expect(text).toMatch(/^[12]: The platform's budget of \$10\.00 /)
  })

  it('that is used up refuses a new run with whose it is, how much, until when, and who can raise it', async () => {
    const { spending, watch } = spendingWith(PLATFORM, ANN)
    await spending.require('ann')
    const run = watch('1', 'ann')
    run.spent(2)
    await expect(spending.require('ann')).rejects.toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      message: expect.stringMatching(/user's budget of \$3\.00 for November 2026 .* 2026-12-01 \(UTC\)\. An admin can/),
    })
    await spending.require('bob')
    run.leave()
    await spending.require('ann')
  })

  it('of nothing refuses every run', async () => {
    const { spending } = spendingWith({ ...ANN, limitUsd: 0, spentUsd: 0 })
    await expect(spending.require('ann')).rejects.toMatchObject({ code: 'BUDGET_EXHAUSTED' })
  })

  it('is compared while runs are active, at a bounded pace, and not without any', async () => {
    const { watch, asked } = spendingWith(ANN)
    const runs = [watch('1', 'ann'), watch('2', 'bob')]
    for (let line = 0; line < 100; line += 1) runs[0]!.spent(line / 1000)
    await vi.advanceTimersByTimeAsync(5000)
    expect(asked).toHaveLength(1)
    for (const run of runs) run.leave()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})
