import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { FOUND } from '../../../test/support/git/local.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { RuntimeError, type RuntimeErrorCode } from '../../runtime/errors.ts'
import type { WorktreeRow } from './repository.ts'
import { WorktreeService } from './service.ts'

const TIP = 'a'.repeat(40)
const WORKTREE = '0197aaaa-0000-7000-8000-000000000001'
const OTHER = '0197aaaa-0000-7000-8000-000000000002'

/** The service of an agent with one worktree, in whose container this happens. */
const serviceOf = (run: ContainerRuntime['run']): WorktreeService => {
  const row = { id: WORKTREE, path: '/home/developer/w', branch: 'main', base: 'b', common: '/c', state: 'kept' }
  const found = () => Promise.resolve(row as WorktreeRow)
  const repository = { of: async () => [await found()], find: found, activeFolders: () => Promise.resolve([]) }
  return new WorktreeService({
    repository: repository as never,
    trees: { remove: () => Promise.reject(new Error('not asked for')) },
    runtime: { run },
    agents: { snapshot: () => ({ runningId: 'container' }) as never },
    audit: { recordNow: () => Promise.resolve() },
    newId: () => WORKTREE,
  })
}
const failing = (code: RuntimeErrorCode): WorktreeService =>
  serviceOf(() => Promise.reject(new RuntimeError(code, 'a failure of the tests')))

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

describe('a worktree that is removed', () => {
  const removed = (of: object) => {
    const row = { id: WORKTREE, agentId: FOUND.row.id, state: 'removed', salvage: 'refs/slipway/salvage/w/1', ...of }
    return new WorktreeService({
      repository: { byId: () => Promise.resolve(row), find: () => Promise.resolve(null) } as never,
      trees: { remove: () => Promise.reject(new Error('not asked for')) },
      runtime: { run: () => Promise.reject(new Error('not asked for')) },
      agents: { snapshot: () => ({ runningId: null }) as never },
      audit: { recordNow: () => Promise.reject(new Error('not asked for')) },
      newId: () => WORKTREE,
    }).remove(FOUND, WORKTREE)
  }

  it('is answered with where everything is that was in it, because the first answer may have been lost', async () => {
    expect(await removed({})).toEqual({ salvage: 'refs/slipway/salvage/w/1' })
    await expect(removed({ agentId: OTHER })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(removed({ state: 'kept' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('files that git cannot write when a worktree is taken back', () => {
  it.each([
    [50, 'unable to create file z/2', 'GIT_REFUSED', 'nothing has changed.*unable to create file z/2'],
    [51, 'main\nunable to create file z/2', 'FILES_NOT_WRITTEN', 'HEAD is still on main.*unable to create file z/2'],
    [137, '', 'FILES_NOT_WRITTEN', 'was killed'],
    [43, '', 'WORKTREE_NOT_READY', 'changes in the same files'],
  ])('are told: exit code %d', async (exitCode, said, code, words) => {
    const [stdout, stderr] = [Buffer.alloc(0), Buffer.from(said)]
    const service = serviceOf(() => Promise.resolve({ exitCode, stdout, stderr }))
    const message = expect.stringMatching(new RegExp(words)) as string
    await expect(service.takeBack(FOUND, WORKTREE, { how: 'merge' })).rejects.toMatchObject({ code, message })
  })
})

describe('two worktrees that are taken back at once', () => {
  /** What happens while both are taken back. A run starts when the first one has ended. */
  const takenBack = async (commonOf: (id: string) => string) => {
    const happened: string[] = []
    const state = { active: [] as string[], worktree: 'kept' }
    const find = (_agent: string, id: string) =>
      Promise.resolve({ id, path: `/w/${id}`, branch: 'main', base: 'b', common: commonOf(id), state: state.worktree })
    const service = new WorktreeService({
      repository: { find, activeFolders: () => Promise.resolve([...state.active]) } as never,
      trees: { remove: () => Promise.reject(new Error('not asked for')) },
      runtime: {
        run: async (_container, { argv }) => {
          happened.push('begun', ...(argv.includes('/of/a/run') ? ['with the run'] : []))
          // The other one goes as far as it can.
          await setImmediate()
          happened.push('ended')
          state.active.push('/of/a/run')
          return { exitCode: 0, stdout: Buffer.from(`taken ${TIP}\n`), stderr: Buffer.alloc(0) }
        },
      },
      agents: { snapshot: () => ({ runningId: 'container' }) as never },
      audit: { recordNow: () => Promise.resolve() },
      newId: () => WORKTREE,
    })
    const back = (id: string) => service.takeBack(FOUND, id, { how: 'merge' })
    await Promise.all([back(WORKTREE), back(OTHER)])
    return { happened, state, back }
  }

  it('wait for each other in one repository, and see the tasks that began meanwhile', async () => {
    const { happened, state, back } = await takenBack(() => '/api/.git')
    expect(happened).toEqual(['begun', 'ended', 'begun', 'with the run', 'ended'])
    const waiting = [back(WORKTREE), back(OTHER)]
    await setImmediate()
    state.worktree = 'in_use'
    await expect(waiting[1]).rejects.toMatchObject({ code: 'WORKTREE_IN_USE' })
    expect(await waiting[0]).toMatchObject({ commit: TIP })
  })

  it('do not wait in different repositories', async () => {
    const { happened } = await takenBack((id) => `/${id}/.git`)
    expect(happened).toEqual(['begun', 'begun', 'ended', 'ended'])
  })
})
