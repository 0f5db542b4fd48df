/** What OpenCode prints. */
import type { HeadlessOptions, Reading } from '../../../src/modules/providers/headless/headless.ts'
import { headless } from '../../../src/modules/providers/headless/opencode.ts'
import { A_TASK, feed } from './reading.ts'

export const SESSION = 'ses_dffff261cffeUivJn7NQ4BuYwF'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '--auto $(reboot)',
  maxTurns: 5,
  maxBudgetUsd: 1,
}
export const START = ['opencode', 'run', '--format', 'json', '--print-logs', '--log-level', 'ERROR']

export const reader = (options: Partial<HeadlessOptions> = {}): Reading => headless.read({ ...OPTIONS, ...options })

export const event = (type: string, part: unknown) => ({ type, timestamp: 1, sessionID: SESSION, part })
export const step = event('step_start', { type: 'step-start' })
export const say = (text: string) => event('text', { type: 'text', text, time: { start: 1, end: 2 } })
export const finish = (reason: string, tokens: unknown = {}, cost: unknown = 0) =>
  event('step_finish', { type: 'step-finish', reason, tokens, cost })
export const use = (tool: string, state: object) =>
  event('tool_use', { type: 'tool', tool, callID: 'call', state: { status: 'completed', output: 'ok', ...state } })
export const error = (name: string, data: object = {}) => ({ type: 'error', sessionID: SESSION, error: { name, data } })
export const tokens = { total: 165, input: 100, output: 20, reasoning: 5, cache: { read: 30, write: 10 } }
export const failureOf = (name: string, data: object = {}) => {
  const reading = reader()
  const happenings = feed(reading, error(name, data))
  return { happenings, failure: reading.verdict().failure }
}
