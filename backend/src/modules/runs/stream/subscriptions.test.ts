import { randomUUID } from 'node:crypto'
import type { PlatformEvent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it } from 'vitest'
import { Signal } from '../../../lib/emitter.ts'
import { AppError, notFound } from '../../../lib/errors.ts'
import { silentLog } from '../../../lib/log.ts'
import { aCaller } from '../../../../test/support/people/callers.ts'
import { Followers } from '../../access/followers.ts'
import type { Loss } from '../../access/loss.ts'
import { FOLLOWED_PER_USER, runCorrespondent } from './subscriptions.ts'

/** A page, and what its keyboard does once the look-ups of its messages are let go on. */
const aPage = () => {
  const done: string[] = []
  const told: PlatformEvent[] = []
  const lookUps: PromiseWithResolvers<null>[] = []
  const lookUp = async (what: string): Promise<void> => {
    const one = Promise.withResolvers<null>()
    lookUps.push(one)
    await one.promise
    done.push(what)
  }
  const missing = () => Promise.reject(notFound())
  const page = runCorrespondent({
    runs: { require: missing, requireEvents: missing },
    keyboard: {
      type: (_caller, _id, { data }) => lookUp(data),
      resize: (_caller, _id, { cols, rows }) => lookUp(`${cols}x${rows}`),
    },
    followers: new Followers(new Signal<Loss>(), { perUser: FOLLOWED_PER_USER, what: 'tasks' }),
    folder: '/nowhere',
    log: silentLog,
  }).open({
    caller: aCaller(),
    send: (event) => void told.push(event),
    deliver: () => Promise.resolve(),
  })
  const sessionId = randomUUID()
  const types = (data: string): void => page.receive({ type: 'coding-agent:input', sessionId, data })
  const resizes = (): void => page.receive({ type: 'coding-agent:resize', sessionId, cols: 80, rows: 24 })
  /** The look-up with this number, from 0, when it has begun. */
  const begun = (at: number) => until(`look-up ${at}`, () => lookUps[at] ?? false)
  return { types, resizes, begun, done, told, lookUps }
}

it('keys of a page are typed in their order, also after some that are refused', async () => {
  const { types, resizes, begun, done, told, lookUps } = aPage()
  types('a')
  types('b')
  resizes()
  types('c')
  const first = await begun(0)
  // The second one waits for the first.
  expect(lookUps).toHaveLength(1)
  first.resolve(null)
  const second = await begun(1)
  second.reject(new AppError('WRONG_STATE', 'Try again.'))
  for (const at of [2, 3]) {
    const next = await begun(at)
    next.resolve(null)
  }
  await until('the last key', () => done.length === 3)
  expect(done).toEqual(['a', '80x24', 'c'])
  expect(told).toEqual([expect.objectContaining({ type: 'coding-agent:session:error', error: 'Try again.' })])
})

it('keys beyond the bound are refused at once', async () => {
  const { types, begun, done, told, lookUps } = aPage()
  for (let count = 0; count < 17; count += 1) types('x')
  expect(told).toMatchObject([
    { type: 'coding-agent:session:error', error: expect.stringContaining('Too many') as string },
  ])
  for (let at = 0; at < 16; at += 1) (await begun(at)).resolve(null)
  await until('the others to be typed', () => done.length === 16)
  expect(lookUps).toHaveLength(16)
})
