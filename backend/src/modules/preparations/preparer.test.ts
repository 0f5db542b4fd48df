import { PATIENTLY } from '@slipway/testing'
import { expect, it, vi } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import { silentLog } from '../../lib/log.ts'
import { Preparer, type PreparerDeps } from './preparer.ts'

/** A preparation whose step is held in its first attempt. The further attempts end well. */
const scene = (held: 'setVariables' | 'clone') => {
  const row = { agentId: 'atlas', state: 'waiting', error: null as string | null }
  const step = Promise.withResolvers<typeof row>()
  const setVariables = vi.fn(() => Promise.resolve(row))
  const clone = vi.fn(() => Promise.resolve(row))
  const first = held === 'clone' ? clone : setVariables
  first.mockImplementationOnce(() => step.promise)
  const preparer = new Preparer({
    repository: {
      find: () => Promise.resolve({ ...row }),
      turn: (_id: string, from: readonly string[], state: string, changes: object) =>
        Promise.resolve(from.includes(row.state) ? Object.assign(row, changes, { state }) : null),
    },
    board: { get: () => ({ runningId: 'container' }) },
    steps: {
      ...{ setVariables, clone },
      found: () => Promise.resolve({ row: {} }),
      confirm: () => Promise.resolve(),
      setUp: () => Promise.resolve(row),
      startTask: () => Promise.resolve({}),
    },
    recovered: () => Promise.resolve(true),
    provisioner: { secrets: () => Promise.resolve([]) },
    news: { emit: () => undefined },
    log: silentLog,
  } as unknown as PreparerDeps)
  /** Cancels it and tries again, while the step goes on. */
  const again = async (): Promise<void> => {
    preparer.add('atlas')
    await vi.waitUntil(() => first.mock.calls.length === 1, PATIENTLY)
    row.state = 'cancelled'
    preparer.end('atlas')
    row.state = 'waiting'
    preparer.add('atlas')
  }
  return { row, step, clone, again }
}

it('an attempt that was cancelled fails, and the next one is not failed by it', async () => {
  const { row, step, again } = scene('clone')
  await again()
  step.reject(new AppError('WRONG_STATE', 'Disconnected.'))
  await vi.waitUntil(() => row.state !== 'waiting', PATIENTLY)
  expect(row).toMatchObject({ state: 'ready', error: null })
})

it('an attempt that was cancelled takes no further step in place of the next one', async () => {
  const { row, step, clone, again } = scene('setVariables')
  await again()
  step.resolve(row)
  await vi.waitUntil(() => row.state !== 'waiting', PATIENTLY)
  expect(row.state).toBe('ready')
  expect(clone.mock.calls).toHaveLength(1)
  expect((clone.mock.calls as unknown as [unknown, { left: AbortSignal }][])[0]![1].left.aborted).toBe(false)
})
