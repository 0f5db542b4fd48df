import { STATE_NOT_KNOWN, type AgentState, type StateReason } from '@slipway/protocol'
import { expect, test } from 'vitest'
import { canStart, isPassing, SHAPE_SIGN, shapeOf, stateSentence, stateWord } from './agentState.ts'

const STATES: AgentState[] = ['creating', 'starting', 'running', 'stopping', 'stopped', 'failed', 'deleting']
const told = (state: AgentState, reason: StateReason | null = null) => ({ name: 'harbour-api', state, reason })

test('every state has a word of its own', () => {
  expect(new Set(STATES.map((state) => stateWord(told(state)))).size).toBe(STATES.length)
})

test('the five shapes have five signs', () => {
  expect(new Set(Object.values(SHAPE_SIGN)).size).toBe(5)
})

test('what passes by itself turns', () => {
  expect(STATES.filter(isPassing)).toEqual(['creating', 'starting', 'stopping', 'deleting'])
  expect(shapeOf('stopping')).toBe('starting')
})

test('only what stands still can be started', () => {
  expect(STATES.filter((state) => canStart(told(state)))).toEqual(['stopped', 'failed'])
})

test('while the engine does not answer, an agent is not said to have failed, and cannot be started', () => {
  const agent = told('failed', { code: 'engine_unavailable', message: STATE_NOT_KNOWN })
  expect([stateWord(agent), stateSentence(agent)]).toEqual(['Not known', 'The state of harbour-api is not known.'])
  expect(canStart(agent)).toBe(false)
})

test('an agent whose start failed because the engine did not answer has failed, and can be started again', () => {
  const message = 'The container engine did not answer. Try again when it does.'
  const agent = told('failed', { code: 'engine_unavailable', message })
  expect([stateWord(agent), stateSentence(agent)]).toEqual(['Failed', 'harbour-api has failed.'])
  expect(canStart(agent)).toBe(true)
})
