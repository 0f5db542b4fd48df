import { expect, it } from 'vitest'
import type { Found } from '../../agents/service.ts'
import type { TaskProvider } from '../../providers/task-provider.ts'
import { type Plan, type PlannerDeps, RunPlanner } from './plan.ts'
import type { RunRow } from '../repository.ts'

const provider = { headless: { read: () => ({ verdict: () => ({ sessionId: null }) }) }, stored: {} }
const planner = new RunPlanner({
  providers: { forTask: () => Promise.resolve(provider as unknown as TaskProvider) },
} as unknown as PlannerDeps)

/** How a run goes on whose row names the session `of the row`. */
const again = async (run: Pick<RunRow, 'state' | 'generation'> & Partial<RunRow>): Promise<Plan> => {
  const fields = { mode: 'auto', policy: null, cliSessionId: null, resumed: null, maxBudgetUsd: null, spentUsd: 0 }
  const row = { id: 'run', sessionId: 'of the row', ...fields, ...run }
  return planner.again({ row: { id: 'agent', policy: null } } as unknown as Found, row as unknown as RunRow)
}
const nextSession = async (run: Pick<RunRow, 'state' | 'generation'>): Promise<string> =>
  (await again(run)).run.sessionId

it('a run from the line starts in the session of its row, and each later time in a new one', async () => {
  expect(await nextSession({ state: 'queued', generation: 1 })).toBe('of the row')
  const later = [
    await nextSession({ state: 'queued', generation: 2 }),
    await nextSession({ state: 'waiting', generation: 1 }),
  ]
  expect(new Set([...later, 'run', 'of the row']).size).toBe(4)
})

it('gives the next process what is left of the budget, and keeps the budget of the run as it is', async () => {
  const { options, run } = await again({ state: 'waiting', generation: 1, maxBudgetUsd: 5, spentUsd: 4.5 })
  expect([options.maxBudgetUsd, run.maxBudgetUsd]).toEqual([0.5, 5])
})
