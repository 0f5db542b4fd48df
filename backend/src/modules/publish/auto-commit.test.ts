import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import type { Found } from '../agents/service.ts'
import { AutoCommits } from './auto-commit.ts'
import type { DueTask } from './repository.ts'

const DUE: DueTask = { userId: 'ada', agentId: 'atlas', via: { kind: 'sign_in', id: 's' } }
const FOUND = { caller: { userId: 'ada' } } as unknown as Found

const commits = (
  more: { due?: DueTask | null; found?: Found | null; commit?: () => Promise<boolean>; left?: string[] } = {},
) => {
  const { due = DUE, found = FOUND, commit = () => Promise.resolve(true), left = [] } = more
  const commitByItself = vi.fn(commit)
  const reinstate = vi.fn(() => Promise.resolve(found))
  const log = { info: vi.fn(), warn: vi.fn() }
  const asked: Date[] = []
  const tasks = {
    due: () => Promise.resolve(due),
    left: async function* (since: Date) {
      asked.push(since)
      yield* left
    },
  }
  const outcomes: string[] = []
  const metrics = { commit: (outcome: string) => void outcomes.push(outcome) }
  const clock = { now: () => Date.parse('2030-01-02T00:00:00Z') }
  const of = new AutoCommits({ tasks, service: { commitByItself }, reinstate, clock, metrics, log })
  return { of, commitByItself, reinstate, log, outcomes, asked }
}

describe('the commit after a task', () => {
  it('is made by the user of the task, with their right to publish it', async () => {
    const { of, commitByItself, reinstate } = commits()
    of.ended('one')
    await vi.waitFor(() => expect(commitByItself).toHaveBeenCalledWith(FOUND.caller, 'one'), PATIENTLY)
    expect(reinstate).toHaveBeenCalledWith(DUE, 'task.publish')
    await of.stop()
  })

  it.each([
    ['the agent does not want it', { due: null }],
    ['the user has no right any more', { found: null }],
  ])('is none if %s', async (_why, more) => {
    const { of, commitByItself, log } = commits(more)
    of.ended('one')
    await new Promise(setImmediate)
    await of.stop()
    expect(commitByItself).not.toHaveBeenCalled()
    expect(log.info).not.toHaveBeenCalled()
  })

  it('leaves the changes where it fails, and says so in the log', async () => {
    const refused = commits({ commit: () => Promise.reject(new AppError('WRONG_STATE', 'a merge')) })
    refused.of.ended('one')
    await vi.waitFor(
      () => expect(refused.log.info).toHaveBeenCalledWith({ taskId: 'one', code: 'WRONG_STATE' }, expect.anything()),
      PATIENTLY,
    )
    const broken = commits({ commit: () => Promise.reject(new Error('no disk')) })
    broken.of.ended('two')
    await vi.waitFor(() => expect(broken.log.warn).toHaveBeenCalledOnce(), PATIENTLY)
  })

  it('is waited for by a server that stops, which begins no other', async () => {
    let finish: (isDone: boolean) => void = () => undefined
    const { of, commitByItself } = commits({ commit: () => new Promise((resolve) => (finish = resolve)) })
    of.ended('one')
    await vi.waitFor(() => expect(commitByItself).toHaveBeenCalledOnce(), PATIENTLY)
    const stopped = vi.fn()
    const stop = of.stop().then(stopped)
    of.ended('two')
    await new Promise(setImmediate)
    expect(stopped).not.toHaveBeenCalled()
    finish(true)
    await stop
    expect(commitByItself).toHaveBeenCalledOnce()
  })

  it('is made at the next start for each task that a killed server has left, once and one after the other', async () => {
    const doing: string[] = []
    const commit = async (...[, id]: unknown[]) => {
      doing.push(`${String(id)} begins`)
      await new Promise(setImmediate)
      doing.push(`${String(id)} ends`)
      return true
    }
    const { of, asked, commitByItself } = commits({ left: ['one', 'two'], commit })
    // A task that ends again meanwhile, because its server had not told of its end.
    const taken = of.takeUp()
    of.ended('one')
    await taken
    expect(commitByItself).toHaveBeenCalledTimes(2)
    expect(doing).toEqual(['one begins', 'one ends', 'two begins', 'two ends'])
    expect(asked).toEqual([new Date('2030-01-01T23:00:00Z')])
    await of.stop()
    await of.takeUp()
    expect(commitByItself).toHaveBeenCalledTimes(2)
  })

  it('is dropped only with a warning that names the task', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const { of, log } = commits({ commit: () => promise })
    for (let task = 0; task < 203; task++) of.ended(`task-${task}`)
    await vi.waitFor(() => expect(log.warn).toHaveBeenCalledOnce(), PATIENTLY)
    expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ taskId: 'task-202' }), expect.any(String))
    resolve(true)
    await of.stop()
  })

  it('is counted by what became of it', async () => {
    const cases = [
      commits(),
      commits({ commit: () => Promise.resolve(false) }),
      commits({ found: null }),
      commits({ commit: () => Promise.reject(new AppError('WRONG_STATE', 'a merge')) }),
      commits({ commit: () => Promise.reject(new Error('no disk')) }),
      commits({ due: null }),
    ]
    for (const { of } of cases) of.ended('one')
    await vi.waitFor(() => expect(cases.map(({ outcomes }) => outcomes.length)).toEqual([1, 1, 1, 1, 1, 0]), PATIENTLY)
    expect(cases.flatMap(({ outcomes }) => outcomes)).toEqual(['committed', 'nothing', 'nothing', 'refused', 'failed'])
  })
})
