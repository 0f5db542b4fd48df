// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, it } from 'vitest'
import { effectScope, nextTick, ref, shallowRef } from 'vue'
import { useFirstRows } from './useFirstRows.ts'

const GROUPS = [
  { id: 'mine', agents: ['a', 'b', 'c'] },
  { id: 'none', agents: [] },
  { id: 'others', agents: ['d', 'e'] },
]
const scope = effectScope()
const search = ref('')
let rows: ReturnType<typeof useFirstRows>
beforeEach(() => {
  rows = scope.run(() => useFirstRows(2, () => search.value, shallowRef(null)))!
})
afterEach(() => scope.stop())

it('the first rows of a list are drawn, and more when they are wanted', async () => {
  expect(rows.first(GROUPS)).toEqual([{ id: 'mine', agents: ['a', 'b'] }])
  rows.more()
  expect(rows.first(GROUPS)).toEqual([
    { id: 'mine', agents: ['a', 'b', 'c'] },
    { id: 'others', agents: ['d'] },
  ])
  expect(rows.most.value).toBe(4)
  // Another list begins anew.
  search.value = 'x'
  await nextTick()
  expect(rows.most.value).toBe(2)
})
