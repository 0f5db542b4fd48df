import type { AgentState } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { canStart, isPassing, SHAPE_SIGN, shapeOf, stateWord } from './agentState.ts'

const STATES: AgentState[] = ['creating', 'starting', 'running', 'stopping', 'stopped', 'failed', 'deleting']

test('every state has a word of its own', () => {
  expect(new Set(STATES.map(stateWord)).size).toBe(STATES.length)
})

test('the five shapes have five signs', () => {
  expect(new Set(Object.values(SHAPE_SIGN)).size).toBe(5)
})

test('what passes by itself turns', () => {
  expect(STATES.filter(isPassing)).toEqual(['creating', 'starting', 'stopping', 'deleting'])
  expect(shapeOf('stopping')).toBe('starting')
})

test('only what stands still can be started', () => {
  expect(STATES.filter(canStart)).toEqual(['stopped', 'failed'])
})
