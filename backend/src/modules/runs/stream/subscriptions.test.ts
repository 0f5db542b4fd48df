import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { aCaller } from '../../../../test/support/callers.ts'
import { Signal } from '../../../lib/emitter.ts'
import { silentLog } from '../../../lib/log.ts'
import { Followers } from '../../access/followers.ts'
import type { TaskTerminal } from '../../sessions/task-terminals.ts'
import { RunKeyboard } from '../interactive/keyboard.ts'
import { runCorrespondent } from './subscriptions.ts'

it('types the input of a page in its order, however long each look for the run takes', async () => {
  const caller = aCaller()
  const typed: string[] = []
  const terminal = { type: (data: Uint8Array) => typed.push(Buffer.from(data).toString()) > 0 }
  // The first look is the slowest.
  const looks: (() => void)[] = []
  const run = { userId: caller.userId, mode: 'interactive', endedAt: null }
  const runs = {
    require: async () => {
      await new Promise<void>((resolve) => (looks.length === 0 ? looks.push(resolve) : resolve()))
      return { run, live: null, found: null }
    },
    requireEvents: () => Promise.reject(new Error('no page of this test follows events')),
  }
  const keyboard = new RunKeyboard(runs as never, { terminalOf: () => terminal as unknown as TaskTerminal })
  const followers = new Followers(new Signal(() => undefined), { perUser: 1, what: 'tasks' })
  const refusals: unknown[] = []
  const page = runCorrespondent({ runs: runs as never, keyboard, followers, folder: '', log: silentLog }).open({
    caller,
    send: (event) => void refusals.push(event),
    deliver: () => Promise.resolve(),
  })
  const sessionId = '01900000-0000-7000-8000-000000000003'
  for (const data of ['l', 's', '\r']) page.receive({ type: 'coding-agent:input', sessionId, data })
  await until('the first look', () => looks.length > 0)
  await new Promise((resolve) => setImmediate(resolve))
  looks[0]?.()
  await until('the input', () => typed.length === 3)
  expect(typed).toEqual(['l', 's', '\r'])
  expect(refusals).toEqual([])
  page.close()
})
