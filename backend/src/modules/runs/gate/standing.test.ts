import type { CreateCodingSession, RunRequest } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { budgetLeft, gateIn, gateOf, newGate, resumption } from './standing.ts'

const body = (more: Partial<CreateCodingSession>): RunRequest => ({ agent: 'atlas', prompt: 'Work', ...more })
const GATE = { gate: { repairs: 2 } }

it('a request has a gate only if it asks for one, in the mode auto, with a validation', () => {
  expect(gateIn(body({}))).toEqual({})
  expect(gateIn(body(GATE))).toEqual({ gateRepairs: 2 })
  expect(gateIn(body({ ...GATE, validate: { command: 'make check' } }))).toEqual({ gateRepairs: 2 })
  expect(() => gateIn(body({ ...GATE, mode: 'interactive' }))).toThrow(/mode auto/)
  expect(() => gateIn(body({ ...GATE, validate: false }))).toThrow(/validate/)
})

it('a gate of no repairs is one', () => {
  const budget = { maxBudgetUsd: 5, spentUsd: 3 }
  expect(gateOf({ ...newGate(0), ...budget }, false)).toMatchObject({ repairs: 0, begun: 0, limitUsd: 2 })
  expect(gateOf({ ...newGate(undefined), ...budget }, false)).toBeNull()
})

it('the next process of a task says why it begins', () => {
  expect(resumption(newGate(2))).toContain('usage limit')
  expect(resumption({ ...newGate(2), repairs: 1, repairPrompt: 'Repair it.' })).toBe('Repair 1 of 2 begins.')
})

it('a process gets what the processes before it left of the budget, and never no limit', () => {
  expect(budgetLeft({ maxBudgetUsd: null, spentUsd: 3 })).toBeNull()
  expect(budgetLeft({ maxBudgetUsd: 5, spentUsd: 3 })).toBe(2)
  expect(budgetLeft({ maxBudgetUsd: 5, spentUsd: 6 })).toBeGreaterThan(0)
})
