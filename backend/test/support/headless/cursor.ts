/** What Cursor prints. */
import { headless } from '../../../src/modules/providers/headless/cursor.ts'
import type { HeadlessOptions, Reading } from '../../../src/modules/providers/headless/headless.ts'
import { A_TASK, readBy } from './reading.ts'

export const SESSION = 'c6b62c6f-7ead-4fd6-9922-e952131177ff'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '--help "$(date)"\nÜber',
}

export const reader = (options: Partial<HeadlessOptions> = {}): Reading => headless.read({ ...OPTIONS, ...options })
/** What these lines are read as. Objects become JSON. */
export const read = (lines: readonly unknown[], options: Partial<HeadlessOptions> = {}) =>
  readBy(reader(options), lines)

export const init = { type: 'system', subtype: 'init', session_id: SESSION, model: 'Auto' }
export const say = (text: unknown) => ({ type: 'assistant', message: { role: 'assistant', content: [{ text }] } })
export const call = (subtype: 'started' | 'completed', tool: string, args: unknown, result?: unknown) => ({
  type: 'tool_call',
  subtype,
  call_id: 'call_1',
  tool_call: { [tool]: { args, result } },
})
export const result = { type: 'result', subtype: 'success', is_error: false, result: 'All.', session_id: SESSION }
