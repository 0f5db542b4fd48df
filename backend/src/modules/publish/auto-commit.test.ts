import { PATIENTLY } from '@slipway/testing'
import { describe, expect, it, vi } from 'vitest'
import { AppError } from '../../lib/errors.ts'
import type { Found } from '../agents/service.ts'
import { AutoCommits } from './auto-commit.ts'
import type { DueTask } from './repository.ts'

const DUE: DueTask = { userId: 'ada', agentId: 'atlas', via: { kind: 'sign_in', id: 's' } }
const FOUND = { caller: { userId: 'ada' } } as unknown as Found

const commits = (more: { due?: DueTask | null; found?: Found | null; commit?: () => Promise<void> } = {}) => {
  const { due = DUE, found = FOUND, commit = () => Promise.resolve() } = more
  const commitByItself = vi.fn(commit)
  const reinstate = vi.fn(() => Promise.resolve(found))
  const log = { info: vi.fn(), warn: vi.fn() }
  const tasks = { due: () => Promise.resolve(due) }
  return { of: new AutoCommits({ tasks, service: { commitByItself }, reinstate, log }), commitByItself, reinstate, log }
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
    let finish = (): void => undefined
    const { of, commitByItself } = commits({ commit: () => new Promise((resolve) => (finish = resolve)) })
    of.ended('one')
    await vi.waitFor(() => expect(commitByItself).toHaveBeenCalledOnce(), PATIENTLY)
    const stopped = vi.fn()
    const stop = of.stop().then(stopped)
    of.ended('two')
    await new Promise(setImmediate)
    expect(stopped).not.toHaveBeenCalled()
    finish()
    await stop
    expect(commitByItself).toHaveBeenCalledOnce()
  })
})
