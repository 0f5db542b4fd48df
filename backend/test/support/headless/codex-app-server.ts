/** What `codex app-server` prints. */
import { headless } from '../../../src/modules/providers/headless/codex.ts'
import { AppServerReading } from '../../../src/modules/providers/headless/codex/app-server/reading.ts'
import type { Ask, ReadOptions } from '../../../src/modules/providers/headless/headless.ts'
import { OPTIONS, THREAD } from './codex.ts'
import { feed } from './reading.ts'

export const TURN = '01a21856-7642-7020-ab75-4c829094505f'
const IDS = { threadId: THREAD, turnId: TURN }

export const newReading = (options: Partial<ReadOptions> = {}) => new AppServerReading({ ...OPTIONS, ...options })

export const greeted = { id: 'slipway-initialize', result: { userAgent: 'slipway' } }
export const begun = { id: 'slipway-thread', result: { thread: { id: THREAD }, cwd: OPTIONS.folder } }
export const prompted = { id: 'slipway-turn', result: { turn: { id: TURN, status: 'inProgress' } } }
/** What precedes everything else. */
export const START = [greeted, begun, prompted]

export const told = (method: string, params: object = {}) => ({ method, params: { ...IDS, ...params } })
export const item = (stage: 'started' | 'completed', fields: object) => told(`item/${stage}`, { item: fields })
export const tokens = (times = 1, more: object = {}) => {
  const total = { inputTokens: 100 * times, cachedInputTokens: 40 * times, outputTokens: 20 * times }
  return told('thread/tokenUsage/updated', { tokenUsage: { total }, ...more })
}
export const completed = (turn: object = {}) =>
  told('turn/completed', { turn: { id: TURN, status: 'completed', ...turn } })

export const request = (id: unknown, method: string, params: object) => ({ id, method, params: { ...IDS, ...params } })
export const command = (id: unknown, line: unknown = "/bin/bash -lc 'touch x'", more: object = {}) =>
  request(id, 'item/commandExecution/requestApproval', {
    ...{ kind: 'command', itemId: `call-${String(id)}`, command: line, cwd: OPTIONS.folder },
    ...more,
  })
export const resolved = (requestId: unknown) => told('serverRequest/resolved', { requestId })

/** A reading of these lines, after those of the start. */
export const after = (...lines: readonly unknown[]): AppServerReading => {
  const reading = newReading()
  feed(reading, ...START, ...lines)
  return reading
}
/** The only question after these lines. */
export const askOf = (...lines: readonly unknown[]): Ask => {
  const [ask, ...others] = after(...lines).asks()
  if (ask === undefined || others.length > 0) throw new Error('there is not one question')
  return ask
}

/** What Codex is answered, line by line. */
export const repliesTo = (ask: Ask, answer: Parameters<NonNullable<typeof headless.people>['reply']>[1]): unknown[] =>
  (headless.people?.reply(ask, answer) ?? '').split('\n').map((line): unknown => JSON.parse(line))
