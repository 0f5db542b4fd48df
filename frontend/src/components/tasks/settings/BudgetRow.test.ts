// @vitest-environment happy-dom
import type { Budget, SetBudget } from '@slipway/protocol'
import { flushPromises, mount, type VueWrapper } from '@vue/test-utils'
import { afterEach, expect, test, vi } from 'vitest'
import { createMemoryHistory, createRouter } from 'vue-router'
import BudgetRow from './BudgetRow.vue'

const BUDGET: Budget = { limitUsd: 20, spentUsd: 3 } as Budget

// Buttons look for the page that they lead to.
const router = createRouter({ history: createMemoryHistory(), routes: [{ path: '/', component: BudgetRow }] })
let mounted: VueWrapper | undefined
const shown = (read: () => Promise<Budget>, change: (body: SetBudget) => Promise<Budget>): VueWrapper =>
  (mounted = mount(BudgetRow, {
    props: { title: 'All users', read, change },
    global: { plugins: [router], stubs: { UIcon: true } },
  }))
afterEach(() => mounted?.unmount())

test('a budget can be edited once it has arrived, and begins with its limit', async () => {
  let arrive: (budget: Budget) => void = () => undefined
  const read = () => new Promise<Budget>((resolve) => (arrive = resolve))
  const change = vi.fn(async () => BUDGET)
  const row = shown(read, change)
  expect(row.find('[data-testid="budget-edit"]').exists()).toBe(false)
  arrive(BUDGET)
  await flushPromises()
  await row.get('[data-testid="budget-edit"]').trigger('click')
  await row.get('form').trigger('submit')
  expect(change).toHaveBeenCalledExactlyOnceWith({ limitUsd: 20 })
})

test('a budget whose field is emptied has no limit any more', async () => {
  const change = vi.fn(async (body: SetBudget) => ({ ...BUDGET, ...body }))
  const row = shown(async () => BUDGET, change)
  await flushPromises()
  await row.get('[data-testid="budget-edit"]').trigger('click')
  await row.get('input').setValue('')
  await row.get('input').trigger('blur')
  await row.get('form').trigger('submit')
  await flushPromises()
  // What is undefined is missing in the request.
  expect(change.mock.calls.map(([body]) => JSON.stringify(body))).toEqual(['{"limitUsd":null}'])
  expect(row.text()).toContain('No limit')
})
