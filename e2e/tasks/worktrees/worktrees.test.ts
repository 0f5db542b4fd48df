/** Tasks of the real Claude Code in git worktrees of their own, through kills of the server. */
import type { CodingSession, CodingSessionDiff, RemovedWorktree, Worktree, WorktreeMode } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { isLongForm, longIt } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { runIn } from '../../support/engine.ts'
import { useServerToKill } from '../../support/shared-server.ts'
import { ASKED_MS, endedTask, refusalOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { shellProvider } from '../../support/tasks/stub.ts'

const ROOT = '/home/developer/.slipway/worktrees'
const REPOSITORY = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir app && cd app && git init -q && echo one >code && printf 'local\\n' >.gitignore && echo local >.worktreeinclude
  git add -A && git commit -qm start && echo mine >local && echo dirty >>code`

const command = (text: string) => ({ tool: 'Bash', input: { command: text, description: 'Work' } })
const gate = (name: string): string => `/tmp/gate-${name}`

const SCRIPT: Script = {
  '@look': [command('cat local; git log --oneline'), { say: 'Looked.' }],
  '@write': [command('echo two >>code; echo new >new'), { say: 'Written.', gate: gate('write') }],
  '@idle': [command('git status --short'), { say: 'Done.', gate: gate('idle') }],
  '@more': [{ say: 'More.' }],
}

const own = useServerToKill()
let agent = ''
/** A task whose worktree was kept. */
let kept = ''
let container = ''

beforeAll(async () => {
  agent = (await agentWithModel(own.admin, SCRIPT)).name
  container = `${own.namespace}-agent-${agent}`
  await sh(own.admin, agent, REPOSITORY)
})

const start = (prompt: string, worktree?: WorktreeMode, more: object = {}): Promise<CodingSession> =>
  startTask(own.admin, { agent, prompt, cwd: 'app', ...(worktree && { worktree }), ...more })
const trees = (): Promise<Worktree[]> => own.admin.ok('GET', `/agents/${agent}/worktrees`)
const treeOf = async (id: string): Promise<Worktree | undefined> =>
  (await trees()).find(({ sessionId }) => sessionId === id)
const begun = (id: string): Promise<boolean> =>
  until('the first command', async () => (await taskOf(own.admin, id)).lastSeq >= 3, ASKED_MS)
const refsIn = (): Promise<string> => sh(own.admin, agent, 'git -C app for-each-ref refs/slipway')

// The settings and the wishes are in `backend/src/modules/worktrees/wish.test.ts`.
longIt('a task without the option works in its own folder, as the setting of the agent is off', async () => {
  const { id, cwd } = await start('- @look at it')
  expect(cwd).toBe('/home/developer/app')
  await endedTask(own.admin, id)
  expect(await trees()).toEqual([])
})

// In the short form `../killed-server.test.ts` has one that outlives its server.
it(`a worktree ${isLongForm ? 'outlives a killed server, and ' : ''}is kept with its changes`, async () => {
  const { id } = await start('- @write', 'always')
  kept = id
  const { cwd } = await taskOf(own.admin, id)
  expect(cwd.startsWith(`${ROOT}/app-`)).toBe(true)
  await begun(id)
  expect(await treeOf(id)).toMatchObject({ state: 'in_use', path: cwd, repository: '/home/developer/app' })
  expect(await sh(own.admin, agent, 'git -C app worktree list --porcelain')).toContain(`locked Slipway task ${id}`)
  if (isLongForm) await own.end('SIGKILL')
  await runIn(container, ['touch', gate('write')])
  if (isLongForm) await own.start()
  expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', changesDetected: true, filesChanged: 2 })
  await until('the worktree to be kept', async () => (await treeOf(id))?.state === 'kept')
  const { files } = await own.admin.ok<CodingSessionDiff>('GET', `/coding-agents/sessions/${id}/diff`)
  expect(files.map(({ path }) => path)).toEqual(['code', 'new'])
  expect(await sh(own.admin, agent, `cat app/code; cat ${cwd}/code; cat ${cwd}/local`)).toBe(
    'one\ndirty\none\ntwo\nmine\n',
  )
  expect(await sh(own.admin, agent, 'git -C app worktree list --porcelain')).not.toContain('locked')
})

it('a conversation goes on in its worktree, and not after a user has removed that', async () => {
  const more = await startTask(own.admin, { agent, prompt: '- @more', resume: kept })
  const tree = await treeOf(kept)
  expect(more.cwd).toBe(tree?.path)
  expect(await endedTask(own.admin, more.id)).toMatchObject({ reason: 'completed', changesDetected: false })
  await until('the worktree to be kept', async () => (await treeOf(kept))?.state === 'kept')
  const { salvage } = await own.admin.ok<RemovedWorktree>('DELETE', `/agents/${agent}/worktrees/${tree?.id}`)
  expect(await sh(own.admin, agent, `git -C app show ${salvage}:new ${salvage}:code; ls -A ${ROOT}`)).toBe(
    'new\none\ntwo\n',
  )
  // The answer may have been lost.
  expect(await own.admin.ok('DELETE', `/agents/${agent}/worktrees/${tree?.id}`)).toEqual({ salvage })
  const { status, body } = await own.admin.call<{ code: string }>('POST', '/coding-agents/sessions', {
    ...{ agent, prompt: '- @more', resume: kept },
  })
  expect([status, body.code]).toEqual([409, 'NO_WORKTREE'])
})

it('an unchanged worktree is removed', async () => {
  const before = await trees()
  const more = { provider: await shellProvider(own.admin) }
  const { id, cwd } = await endedTask(own.admin, (await start('cat code; echo Done.', 'always', more)).id)
  expect(cwd.startsWith(ROOT)).toBe(true)
  await until('the worktree to be removed', async () => (await treeOf(id)) === undefined)
  expect(await trees()).toEqual(before)
})

// The test before, and `../killed-server.test.ts`, where a changed one outlives its server.
longIt(
  'an unchanged worktree is removed although the server was killed, and made again for the next turn',
  async () => {
    const before = await refsIn()
    const { id } = await start('- @idle', 'always')
    const { cwd } = await taskOf(own.admin, id)
    await begun(id)
    const tree = await treeOf(id)
    expect(await refusalOf(own.admin, 'DELETE', `/agents/${agent}/worktrees/${tree?.id}`)).toEqual([
      409,
      'WORKTREE_IN_USE',
    ])
    await own.end('SIGKILL')
    await runIn(container, ['touch', gate('idle')])
    await own.start()
    expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', changesDetected: false })
    await until('the worktree to be removed', async () => (await treeOf(id)) === undefined)
    expect(await sh(own.admin, agent, `ls -A ${ROOT}; git -C app worktree list | wc -l`)).toBe('1\n')
    expect((await refsIn()).length).toBeGreaterThan(before.length)

    const again = await startTask(own.admin, { agent, prompt: '- @more', resume: id })
    expect(again.cwd).toBe(cwd)
    expect(await endedTask(own.admin, again.id)).toMatchObject({ reason: 'completed' })
    await until('the worktree to be removed', async () => (await trees()).length === 0)
  },
)
