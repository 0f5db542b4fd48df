/** What Gemini CLI prints. */
import { headless } from '../../../src/modules/providers/headless/gemini.ts'
import type { HeadlessOptions, Reading } from '../../../src/modules/providers/headless/headless.ts'
import { A_TASK, feed } from './reading.ts'

export const HOUR = 3_600_000
export const SESSION = 'b4a39ece-6172-40d1-bc1e-031d471286a2'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '--yolo $(reboot)\n/quit',
  maxTurns: 5,
  maxBudgetUsd: 1,
}
export const START = ['gemini', '--output-format', 'stream-json']

export const reader = (options: Partial<HeadlessOptions> = {}): Reading => headless.read({ ...OPTIONS, ...options })

export const init = { type: 'init', session_id: SESSION, model: 'auto' }
export const say = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true })
export const use = (tool_name: string, parameters: unknown, tool_id: unknown = 'call') => ({
  type: 'tool_use',
  tool_name,
  tool_id,
  parameters,
})
export const done = (output?: string, tool_id: unknown = 'call') => ({
  type: 'tool_result',
  tool_id,
  status: 'success',
  output,
})
export const refused = (message: string, tool_id: unknown = 'call') => ({
  type: 'tool_result',
  tool_id,
  status: 'error',
  error: { type: 'x', message },
})
export const success = { type: 'result', status: 'success' }
export const failed = (message: string, type = 'unknown') => ({
  type: 'result',
  status: 'error',
  error: { type, message },
})
export const apiError = (code: number, message: string): string =>
  `[API Error: ${JSON.stringify({ error: { code, message, status: 'X' } })}]`
export const failureOf = (message: string) => {
  const reading = reader()
  const happenings = feed(reading, init, failed(message))
  return { happenings, failure: reading.verdict().failure }
}
