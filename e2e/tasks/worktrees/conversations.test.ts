/** The worktrees of conversations with the real Claude Code, and the set-up command of an agent. */
// In the short form worktrees.test.ts has a worktree of a task, and the database tests those of conversations.
import '@slipway/testing/long'
import type { Conversation, ConversationTurns, Worktree } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { ASKED_MS, endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

const ROOT = '/home/developer/.slipway/worktrees'
const REPOSITORY = `git config --global user.name Tester; git config --global user.email tester@example.org
  mkdir app && cd app && git init -q && echo one >code && printf 'local\\n' >.gitignore && echo local >.worktreeinclude
  git add -A && git commit -qm start && echo mine >local && echo dirty >>code`

let owner: Client
let agent = ''
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, { '@look': [{ say: 'Looked.' }], '@more': [{ say: 'More.' }] })).name
  await sh(owner, agent, REPOSITORY)
})

const trees = (): Promise<Worktree[]> => owner.ok('GET', `/agents/${agent}/worktrees`)
const removed = (): Promise<unknown> =>
  until('the worktree to be removed', async () => (await trees()).length === 0, ASKED_MS)

it('a conversation has one worktree for all its turns, which is kept until it is archived', async () => {
  const begun = await owner.ok<Conversation>('POST', '/conversations', {
    ...{ agent, prompt: '- @look at it', cwd: 'app', worktree: 'always' },
  })
  const path = `/conversations/${begun.id}`
  const idle = (turns: number): Promise<Conversation> =>
    until(
      `${turns} turns`,
      async () => {
        const conversation = await owner.ok<Conversation>('GET', path)
        return conversation.turns === turns && conversation.activity === 'idle' && conversation
      },
      ASKED_MS,
    )
  const held = (): Promise<Worktree> =>
    until(
      'the worktree to be kept',
      async () => {
        const tree = (await trees()).find(({ conversationId }) => conversationId === begun.id)
        // Nothing has changed in it.
        return tree?.state === 'clean' && tree
      },
      ASKED_MS,
    )
  const { cwd } = await idle(1)
  expect(cwd.startsWith(`${ROOT}/app-`)).toBe(true)
  expect(await held()).toMatchObject({ path: cwd })
  expect(await sh(owner, agent, 'git -C app worktree list --porcelain')).not.toContain('locked')
  await owner.ok('POST', `${path}/messages`, { text: '- @more' })
  await idle(2)
  const { items } = await owner.ok<ConversationTurns>('GET', `${path}/messages`)
  expect(items.map(({ run }) => [run?.cwd, run?.reason])).toEqual([
    [cwd, 'completed'],
    [cwd, 'completed'],
  ])
  await held()
  await owner.ok('PATCH', path, { archived: true })
  await removed()
})

it('the set-up command of the agent runs once in each new worktree, before the CLI, and the error has its last words', async () => {
  const settings = (setup: string | null) =>
    owner.ok('PUT', `/agents/${agent}/worktree-settings`, { mode: 'off', root: '.slipway/worktrees', setup })
  await settings('pwd >>~/set-up; cat local >>~/set-up')
  const { id, cwd } = await startTask(owner, { agent, prompt: '- @look at it', cwd: 'app', worktree: 'always' })
  expect(await sh(owner, agent, 'cat set-up')).toBe(`${cwd}\nmine\n`)
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed' })
  await removed()
  // The worktree is made again for the next turn, and has to be set up again.
  const again = await startTask(owner, { agent, prompt: '- @more', resume: id })
  expect(await sh(owner, agent, 'cat set-up')).toBe(`${cwd}\nmine\n`.repeat(2))
  await endedTask(owner, again.id)

  await settings('echo begun; echo no such package >&2; exit 7')
  const refused = await owner.call<{ code: string; message: string }>('POST', '/coding-agents/sessions', {
    ...{ agent, prompt: '- @look at it', cwd: 'app', worktree: 'always' },
  })
  expect([refused.status, refused.body.code]).toEqual([409, 'NO_WORKTREE'])
  expect(refused.body.message).toContain('exit code 7. It printed: begun\nno such package')
  await settings(null)
  await removed()
})
