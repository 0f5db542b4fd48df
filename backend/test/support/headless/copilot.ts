/** What Copilot prints. */
import { headless } from '../../../src/modules/providers/headless/copilot.ts'
import type { HeadlessOptions } from '../../../src/modules/providers/headless/headless.ts'
import { A_TASK, readBy } from './reading.ts'

export const SESSION = '780d9eef-4910-4ae8-a465-385f9b8ee3df'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '-p "$(date)"\nÜber',
}

/** What these lines are read as. Objects become JSON. */
export const read = (lines: readonly unknown[], options: Partial<HeadlessOptions> = {}) =>
  readBy(headless.read({ ...OPTIONS, ...options }), lines)

export const event = (type: string, data: object = {}) => ({ type, data, ephemeral: true })
export const prompt = event('user.message', { content: 'Create the file' })
export const message = (content: unknown, messageId = 'm1') => event('assistant.message', { messageId, content })
export const result = { type: 'result', sessionId: SESSION, exitCode: 0, usage: { premiumRequests: 1 } }
export const call = (toolName: string, input: unknown) =>
  event('tool.execution_start', { toolCallId: 'call_1', toolName, arguments: input })
export const end = (data: object) => event('tool.execution_complete', { toolCallId: 'call_1', success: true, ...data })
export const error = (data: object) => event('session.error', data)
