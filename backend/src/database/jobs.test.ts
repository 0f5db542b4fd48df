import { until } from '@slipway/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type TestDatabaseOptions, useDatabase } from '../../test/support/database/test-database.ts'
import { HOUR_MS, SECOND_MS } from '../lib/time/clock.ts'
import { silentLog } from '../lib/log.ts'
import { Jobs } from './jobs.ts'

const KINDS: readonly (readonly [string, TestDatabaseOptions])[] = [
  ['PostgreSQL', {}],
  ['the embedded database', { embedded: true }],
]

describe.each(KINDS)('steps that %s keeps', (_name, options) => {
  const database = useDatabase(options)
  const open = new Set<Jobs>()
  afterEach(async () => {
    for (const jobs of open) await jobs.end()
    open.clear()
  })
  /** A server's queue, and the ids of the steps that it began. */
  const server = (kind: string, during: (id: string) => Promise<void> = () => Promise.resolve()) => {
    const began: string[] = []
    const jobs = new Jobs({ database: database(), log: silentLog })
    jobs.handle(kind, (id) => {
      began.push(id)
      return during(id)
    })
    void jobs.start()
    open.add(jobs)
    return { jobs, began }
  }

  /** Waits for the queue, which takes time to open: by a step that is not due before the test has ended. */
  const isOpen = (jobs: Jobs, kind: string): Promise<void> => jobs.plan(kind, ['much later'], Date.now() + HOUR_MS)

  it('are all done, and one that fails holds up no other', async () => {
    const { jobs, began } = server('all', (id) => (id === 'b' ? Promise.reject(new Error('no')) : Promise.resolve()))
    for (const id of ['a', 'b', 'c']) await jobs.plan('all', [id])
    await until('all steps', () => began.length >= 3)
    expect(began.toSorted()).toEqual(['a', 'b', 'c'])
  })

  it('are begun as soon as one before has ended, not at the next look', async () => {
    const STEPS = 120
    const { jobs, began } = server('many')
    await jobs.plan(
      'many',
      Array.from({ length: STEPS }, (_, id) => String(id)),
    )
    // Four with each look would take half a minute.
    await until('all steps', () => began.length >= STEPS, 25 * SECOND_MS)
    expect(new Set(began).size).toBe(STEPS)
  })

  it('are planned once for an id, while the first one waits', async () => {
    const { jobs, began } = server('once')
    await isOpen(jobs, 'once')
    const soon = Date.now() + 2 * SECOND_MS
    await jobs.plan('once', ['a'], soon)
    await jobs.plan('once', ['a'], soon)
    await jobs.plan('once', ['b'], soon)
    await until('both steps', () => began.length >= 2)
    expect(began.toSorted()).toEqual(['a', 'b'])
    expect(Date.now()).toBeGreaterThanOrEqual(soon)
  })

  it('wait for the next server, which does those whose server was stopped before', async () => {
    const first = server('over-a-stop')
    await isOpen(first.jobs, 'over-a-stop')
    await first.jobs.plan('over-a-stop', ['later'], Date.now() + 2 * SECOND_MS)
    await first.jobs.end()
    await first.jobs.plan('over-a-stop', ['never'])
    const second = server('over-a-stop')
    await until('the step', () => second.began.length > 0)
    expect([first.began, second.began]).toEqual([[], ['later']])
  })

  it('are waited for by a server that stops', async () => {
    const gate = Promise.withResolvers<null>()
    let isDone = false
    const { jobs, began } = server('waited-for', async () => {
      await gate.promise
      isDone = true
    })
    await jobs.plan('waited-for', ['a'])
    await until('the step to begin', () => began.length > 0)
    const stopped = jobs.end()
    gate.resolve(null)
    await stopped
    expect(isDone).toBe(true)
  })
})
