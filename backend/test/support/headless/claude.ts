/** What Claude prints. */
import { headless } from '../../../src/modules/providers/headless/claude.ts'
import type { HeadlessOptions } from '../../../src/modules/providers/headless/headless.ts'
import { A_TASK, readBy } from './reading.ts'

export const SESSION = '0190a6e0-0000-7000-8000-000000000000'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '--help me',
  folder: '/workspace',
  sessionId: SESSION,
}

export const INIT = { type: 'system', subtype: 'init', session_id: SESSION, model: 'opus' }
export const RESULT = { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: SESSION }

export const assistant = (block: object, fields: object = {}) => ({
  type: 'assistant',
  message: { id: 'msg_1', content: [block] },
  parent_tool_use_id: null,
  ...fields,
})
export const says = (text: string, fields: object = {}) => assistant({ type: 'text', text }, fields)
export const calls = (name: string, input: unknown, fields: object = {}) =>
  assistant({ type: 'tool_use', id: 'call-1', name, input }, fields)
export const returns = (content: unknown, details: unknown = null, isError = false) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call-1', content, is_error: isError }] },
  parent_tool_use_id: null,
  tool_use_result: details,
})
export const interruptedBy = (text: string) => ({ type: 'user', message: { content: [{ type: 'text', text }] } })

/** What one process prints is read as. */
export const read = (...lines: readonly unknown[]) => readBy(headless.read(OPTIONS), lines)
