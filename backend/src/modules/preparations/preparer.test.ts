import { PATIENTLY } from '@slipway/testing'
import { expect, it, vi } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import { silentLog } from '../../lib/log.ts'
import { Preparer, type PreparerDeps } from './preparer.ts'

/** A preparation whose step is held in its first attempt. The further attempts end well. */
const scene = (held: 'setVariables' | 'clone') => {
  const row = { agentId: 'atlas', state: 'waiting', error: null as string | null }
  /** While it is set, each statement that changes the state fails, and `refused` counts them. */
  const database = { isDown: false, refused: 0 }
  const step = Promise.withResolvers<typeof row>()
  const setVariables = vi.fn(() => Promise.resolve(row))
  const clone = vi.fn(() => Promise.resolve(row))
  const first = held === 'clone' ? clone : setVariables
  first.mockImplementationOnce(() => step.promise)
  const deps = {
    repository: {
      find: () => Promise.resolve({ ...row }),
      turn: async (_id: string, from: readonly string[], state: string, changes: object) => {
        if (database.isDown) {
          database.refused += 1
          throw new Error('no connection')
        }
        return Promise.resolve(from.includes(row.state) ? Object.assign(row, changes, { state }) : null)
      },
    },
    board: { get: () => ({ runningId: 'container' }) },
    steps: {
      ...{ setVariables, clone },
      found: () => Promise.resolve({ row: {} }),
      confirm: () => Promise.resolve(),
      checkImage: () => undefined,
      setUp: () => Promise.resolve(row),
      startTask: () => Promise.resolve({}),
    },
    recovered: () => Promise.resolve(true),
    provisioner: { secrets: () => Promise.resolve([]) },
    news: { emit: () => undefined },
    log: silentLog,
  } as unknown as PreparerDeps
  const preparer = new Preparer(deps, 1)
  /** Cancels it and tries again, while the step goes on. */
  const again = async (): Promise<void> => {
    preparer.add('atlas')
    await vi.waitUntil(() => first.mock.calls.length === 1, PATIENTLY)
    row.state = 'cancelled'
    preparer.end('atlas')
    row.state = 'waiting'
    preparer.add('atlas')
  }
  /** The step fails while the database does not answer, and the failure could not be stored. */
  const unstored = async (): Promise<void> => {
    preparer.add('atlas')
    await vi.waitUntil(() => first.mock.calls.length === 1, PATIENTLY)
    database.isDown = true
    step.reject(new AppError('WRONG_STATE', 'Disconnected.'))
    await vi.waitUntil(() => database.refused > 1, PATIENTLY)
  }
  return { row, step, clone, again, preparer, database, unstored }
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

it('an attempt whose failure the database could not store fails when the database is back', async () => {
  const { row, database, unstored } = scene('clone')
  await unstored()
  expect(row.state).toBe('waiting')
  database.isDown = false
  await vi.waitUntil(() => row.state !== 'waiting', PATIENTLY)
  expect(row).toMatchObject({ state: 'failed', error: 'Disconnected.' })
})

it('an attempt whose failure is not stored is cancelled, and the next one is not failed by it', async () => {
  const { row, database, preparer, unstored } = scene('clone')
  await unstored()
  row.state = 'cancelled'
  preparer.end('atlas')
  database.isDown = false
  row.state = 'waiting'
  preparer.add('atlas')
  await vi.waitUntil(() => row.state !== 'waiting', PATIENTLY)
  expect(row).toMatchObject({ state: 'ready', error: null })
})

it('an attempt whose failure is not stored does not fail a later one that a user began', async () => {
  const { row, database, preparer, unstored } = scene('clone')
  await unstored()
  // The database had stored it, but the answer was lost.
  preparer.add('atlas')
  database.isDown = false
  await vi.waitUntil(() => row.state !== 'waiting', PATIENTLY)
  expect(row).toMatchObject({ state: 'ready', error: null })
})

it('a server that stops waits for no attempt whose failure is not stored', async () => {
  const { row, preparer, unstored } = scene('clone')
  await unstored()
  await preparer.stop()
  expect(row.state).toBe('waiting')
})
