import { describe, expect, it } from 'vitest'
import { FOUND } from '../../../test/support/git/local.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../runtime/errors.ts'
import type { WorktreeRow } from './repository.ts'
import { WorktreeService } from './service.ts'

const WORKTREE = '0197aaaa-0000-7000-8000-000000000001'

/** The service of an agent with one worktree, whose engine fails like this. */
const failing = (code: RuntimeErrorCode): WorktreeService => {
  const row = { id: WORKTREE, path: '/home/developer/w', branch: 'main', base: 'b', common: '/c', state: 'kept' }
  const found = () => Promise.resolve(row as WorktreeRow)
  const repository = { of: async () => [await found()], find: found, activeFolders: () => Promise.resolve([]) }
  return new WorktreeService({
    repository: repository as never,
    trees: { remove: () => Promise.reject(new Error('not asked for')) },
    runtime: { run: () => Promise.reject(new RuntimeError(code, 'a failure of the tests')) },
    agents: { snapshot: () => ({ runningId: 'container' }) as never },
    audit: { recordNow: () => Promise.resolve() },
    newId: () => WORKTREE,
  })
}

describe('a failure of the engine', () => {
  it.each([
    ['engine_unavailable', 'ENGINE_UNAVAILABLE'],
    ['timed_out', 'ENGINE_UNAVAILABLE'],
    ['not_running', 'WRONG_STATE'],
  ] as const)('that is %s answers the list and the taking back with %s', async (failure, code) => {
    const service = failing(failure)
    await expect(service.list(FOUND)).rejects.toMatchObject({ code })
    await expect(service.takeBack(FOUND, WORKTREE, { how: 'merge' })).rejects.toMatchObject({ code })
  })
})
