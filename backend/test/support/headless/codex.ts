/** What Codex prints. */
import { headless } from '../../../src/modules/providers/headless/codex.ts'
import type { HeadlessOptions, ReadOptions } from '../../../src/modules/providers/headless/headless.ts'
import { A_TASK, readBy } from './reading.ts'

export const THREAD = '01a1fff9-ab43-7750-a116-ead584275775'
export const OPTIONS: HeadlessOptions = {
  ...A_TASK,
  prompt: '--help\nÜber "$(date)"',
}

export const argvOf = (options: Partial<HeadlessOptions>): readonly string[] =>
  headless.program({ ...OPTIONS, ...options }).argv

/** What these lines are read as. Objects become JSON. */
export const read = (lines: readonly unknown[], options: Partial<ReadOptions> = {}) =>
  readBy(headless.read({ ...OPTIONS, ...options }), lines)

export const started = { type: 'thread.started', thread_id: THREAD }
export const completed = (item: object) => ({ type: 'item.completed', item: { id: 'item_1', ...item } })
export const answer = completed({ type: 'agent_message', text: 'Done.' })
export const failed = (message: unknown) => ({ type: 'turn.failed', error: { message } })
export const usage = {
  input_tokens: 200,
  cached_input_tokens: 80,
  cache_write_input_tokens: 0,
  output_tokens: 40,
  reasoning_output_tokens: 10,
}
