/** The worktrees of conversations between two turns: real git and a real database, in place of the container this machine. */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { storedConversation } from '../../../test/support/stored/conversations.ts'
import { as, newAgent, useTeam } from '../../../test/support/people/team.ts'
import { put, useRealGit } from '../../../test/support/git/real-git.ts'
import { silentLog } from '../../lib/log.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { RunOptions } from '../../runtime/port.ts'
import { Holds } from './holds.ts'
import { ending } from './program.ts'
import { WorktreeRepository, type WorktreeRow } from './repository.ts'
import { Worktrees } from './trees.ts'

const team = useTeam()
const { git, run, newRepository, newTree } = useRealGit()

/** A worktree that a turn has left. `begun`: a script that ends it is about to run, and waits for `gate`. `found`: the next turn knows it. */
const scene = async ({ isConversation = true } = {}) => {
  const { owner, database } = team()
  const { prisma } = database
  const name = `a-${randomUUID().slice(0, 13)}`
  const { id: agentId } = (await as(team(), owner)('POST /agents?wait=true', newAgent(name))).json<{ id: string }>()
  const { runId } = await storedConversation(prisma, { agentName: name, userId: owner.id, isBusy: false })
  const tree = await newTree(newRepository())
  await prisma.codingRun.update({ where: { id: runId }, data: { cwd: tree.path } })
  if (!isConversation) await prisma.conversation.deleteMany({ where: { agentId } })
  const id = randomUUID()
  const { path, repository, common, base, branch } = tree
  const at = new Date()
  const data = { id, agentId, userId: owner.id, runId, path, repository, common, base, branch, createdAt: at }
  await prisma.worktree.create({ data: { ...data, state: 'in_use', usedAt: at } })
  const scripts: string[] = []
  const held = {
    ...{ begun: Promise.withResolvers<undefined>(), found: Promise.withResolvers<undefined>() },
    gate: Promise.resolve<undefined>(undefined),
    /** What the engine does in place of a script. */
    failure: null as Error | null,
  }
  const endScript = ending({ id, path, common, base }, 'keep').argv[6]
  const runtime = {
    run: async (_: string, options: RunOptions) => {
      if (held.failure) throw held.failure
      const isEnd = options.argv[6] === endScript
      scripts.push(isEnd ? 'end' : 'other')
      if (isEnd) {
        held.begun.resolve(undefined)
        await held.gate
      }
      return { ...(await run(options)), stderr: Buffer.alloc(0) }
    },
  }
  const rows = new WorktreeRepository(prisma, { record: () => Promise.resolve() })
  const containing = rows.containing.bind(rows)
  rows.containing = (...of) => containing(...of).finally(() => held.found.resolve(undefined))
  const trees = new Worktrees({
    ...{ runtime: runtime as never, repository: rows },
    ...{ running: () => [{ agentId, containerId: 'container' }], clock: { now: () => Date.now() } },
    ...{ newId: randomUUID, metrics: { failed: () => undefined }, log: silentLog },
  })
  /** The next turn is about to start in the worktree. */
  const nextTurn = async (): Promise<string> => {
    const turn = { id: randomUUID(), agentId, userId: owner.id, prompt: 'more', cwd: path }
    const of = { sessionId: turn.id, agentName: name, provider: 'claude-code', timeoutSeconds: 300, personal: false }
    await prisma.codingRun.create({ data: { ...turn, ...of, state: 'starting' } })
    return trees.prepare({ ...turn, resumed: 'session', worktree: null }, 'container').catch(async (error: unknown) => {
      await prisma.codingRun.update({ where: { id: turn.id }, data: { state: 'failed', endedAt: new Date() } })
      throw error
    })
  }
  const row = async (): Promise<WorktreeRow> =>
    (await prisma.worktree.findUniqueOrThrow({ where: { id } })) as WorktreeRow
  return { trees, tree, held, scripts, nextTurn, row }
}

describe('the next turn of a conversation', () => {
  it('waits while its worktree is looked at after the turn before, and works there', async () => {
    const { trees, tree, held, nextTurn, row } = await scene()
    const gate = Promise.withResolvers<undefined>()
    held.gate = gate.promise
    const sweeping = trees.sweep()
    await held.begun.promise
    const turn = nextTurn()
    await held.found.promise
    gate.resolve(undefined)
    expect(await turn).toBe(tree.path)
    await sweeping
    expect(await row()).toMatchObject({ state: 'in_use' })
    expect(git(tree.path, 'worktree', 'list', '--porcelain')).toContain('locked Slipway task')
  })

  it('waits while its worktree is removed because it is unchanged, and gets it again', async () => {
    const { trees, tree, held, nextTurn, row } = await scene({ isConversation: false })
    const gate = Promise.withResolvers<undefined>()
    held.gate = gate.promise
    const sweeping = trees.sweep()
    await held.begun.promise
    const turn = nextTurn()
    await held.found.promise
    gate.resolve(undefined)
    expect(await turn).toBe(tree.path)
    await sweeping
    expect(await row()).toMatchObject({ state: 'in_use', kept: null })
    expect(readFileSync(join(tree.path, 'a'), 'utf8')).toBe('first a')
  })

  it('keeps its worktree from being looked at', async () => {
    const { trees, tree, scripts, nextTurn, row } = await scene()
    await nextTurn()
    await trees.sweep()
    expect([scripts.includes('end'), existsSync(tree.path), (await row()).state]).toEqual([false, true, 'in_use'])
  })

  it('goes on although a killed server had begun to remove the worktree', async () => {
    const { tree, nextTurn, row } = await scene()
    await team().database.prisma.worktree.update({ where: { id: (await row()).id }, data: { state: 'removing' } })
    expect(await nextTurn()).toBe(tree.path)
    expect(await row()).toMatchObject({ state: 'in_use' })
  })

  it('is told how its worktree comes back that a user has removed, and works there once it is back', async () => {
    const { trees, tree, nextTurn, row } = await scene()
    put(tree.path, 'new', 'mine')
    const salvage = await trees.remove(await row(), 'container')
    const error = await nextTurn().catch((thrown: unknown) => thrown as Error)
    const { message } = error as Error
    expect(error).toMatchObject({ code: 'NO_WORKTREE' })
    expect(message).toContain(`The worktree of the task was removed: ${tree.path.split('/').at(-1)}.`)
    expect(message).toContain(`What was in it is in ${salvage}.`)
    const [, command = ''] = /run `(git [^`]+)`/.exec(message) ?? []
    // A folder that only has its name is none.
    put(tree.path, 'other', 'not a worktree')
    await expect(nextTurn()).rejects.toMatchObject({ code: 'NO_WORKTREE' })
    execFileSync('rm', ['-r', tree.path])
    execFileSync('sh', ['-c', command], { stdio: 'ignore' })
    expect(await nextTurn()).toBe(tree.path)
    expect(readFileSync(join(tree.path, 'new'), 'utf8')).toBe('mine')
    expect(await row()).toMatchObject({ state: 'in_use', kept: null, salvage })
  })
})

describe('a worktree that two requests remove at once', () => {
  it('is saved once, and both are told where', async () => {
    const { trees, tree, held, scripts, row } = await scene({ isConversation: false })
    put(tree.path, 'new', 'mine')
    await trees.sweep()
    scripts.length = 0
    const gate = Promise.withResolvers<undefined>()
    held.gate = gate.promise
    const kept = await row()
    const [first, second] = [trees.remove(kept, 'container'), trees.remove(kept, 'container')]
    gate.resolve(undefined)
    expect(await first).toContain('refs/')
    expect(await second).toBe(await first)
    expect(scripts).toEqual(['end'])
  })
})

describe('a worktree whose removal fails in the engine', () => {
  it('has its state from before, so that its user removes it again', async () => {
    const { trees, tree, held, row } = await scene({ isConversation: false })
    put(tree.path, 'new', 'mine')
    await trees.sweep()
    const before = await row()
    expect(before.state).toBe('kept')
    held.failure = new RuntimeError('engine_unavailable', 'no engine')
    await expect(trees.remove(before, 'container')).rejects.toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    expect(await row()).toEqual(before)
    held.failure = null
    expect(await trees.remove(before, 'container')).toContain('refs/')
    expect(await row()).toMatchObject({ state: 'removed' })
  })
})

describe('a worktree that is held', () => {
  it('is refused after a while, and is free again afterwards', async () => {
    const holds = new Holds({ waitMs: 1 })
    const gate = Promise.withResolvers<undefined>()
    const first = holds.whenFree('tree', () => gate.promise)
    expect(await holds.ifFree('tree', () => Promise.resolve('looked'))).toBeNull()
    await expect(holds.whenFree('tree', () => Promise.resolve())).rejects.toMatchObject({ code: 'WORKTREE_IN_USE' })
    gate.resolve(undefined)
    await first
    expect(await holds.ifFree('tree', () => Promise.resolve('looked'))).toBe('looked')
  })
})
