/** A conversation with Claude Code outlives its server: no message is lost, and none is sent twice. */
// In the short form `../killed-server.test.ts` kills the server once under a conversation.
import '@slipway/testing/long'
import type { Conversation, ConversationMessage, ConversationTurns } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { expect, it, vi } from 'vitest'
import { runIn } from '../../support/engine.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { openEvents } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'

/** Two starts of a server on a busy machine, in milliseconds. */
vi.setConfig({ testTimeout: 300_000 })

const GATE = '/tmp/may-go-on'
const own = useOwnServer()

it('the messages that wait go on after the server was killed, in their order, in one session of the CLI', async () => {
  const agent = await agentWithModel(own.admin, {
    '@first': [{ say: 'First.', gate: GATE }],
    '@second': [{ say: 'Second.' }],
    '@third': [{ say: 'Third.' }],
  })
  const page = await openEvents(own.admin)
  const begun = await own.admin.ok<Conversation>('POST', '/conversations', { agent: agent.name, prompt: '@first' })
  const path = `/conversations/${begun.id}`
  const now = (): Promise<Conversation> => own.admin.ok<Conversation>('GET', path)
  expect(begun).toMatchObject({ title: '@first', agent: agent.name, state: 'active', turns: 1, queued: 0 })
  // Its session has a name from the first turn on.
  const running = await until(
    'the first turn to run',
    async () => {
      const conversation = await now()
      return conversation.activity === 'running' && conversation.cliSessionId !== null && conversation
    },
    60_000,
  )
  const waiting = await Promise.all(
    ['@second', '@third'].map((text) => own.admin.ok<ConversationMessage>('POST', `${path}/messages`, { text })),
  )
  expect(waiting.map(({ state }) => state)).toEqual(['queued', 'queued'])
  const queue = await own.admin.ok<ConversationMessage[]>('GET', `${path}/queue`)
  await expect
    .poll(() => page.received)
    .toContainEqual({
      type: 'conversation:changed',
      conversation: expect.objectContaining({ id: begun.id, activity: 'running', queued: 2 }),
    })

  await own.end('SIGKILL')
  await own.start()
  expect(await own.admin.ok<ConversationMessage[]>('GET', `${path}/queue`)).toEqual(queue)
  await runIn(`${own.namespace}-agent-${agent.name}`, ['touch', GATE])
  // Now they go on by themselves. The next kill comes while one begins.
  await until('the second turn', async () => (await now()).turns > 1)
  await own.end('SIGKILL')
  await own.start()

  const done = await until(
    'all turns',
    async () => {
      const conversation = await now()
      return conversation.turns === 3 && conversation.activity === 'idle' && conversation
    },
    90_000,
  )
  expect(done).toMatchObject({ state: 'active', queued: 0, error: null, cliSessionId: running.cliSessionId })
  expect(done.costUsd).toBeGreaterThan(0)
  const { items } = await own.admin.ok<ConversationTurns>('GET', `${path}/messages`)
  expect(items.map(({ run }) => run?.result)).toEqual([
    'First.',
    ...queue.map(({ text }) => `${text.at(1)?.toUpperCase()}${text.slice(2)}.`),
  ])
  expect(items.every(({ run }) => run?.cliSessionId === running.cliSessionId)).toBe(true)
  // The CLI itself has each message once.
  const file = await sh(own.admin, agent.name, `cat .claude/projects/*/${running.cliSessionId}.jsonl`)
  const prompts = file.split('\n').filter((line) => line.includes('"type":"user"'))
  for (const text of ['@first', '@second', '@third'])
    expect(prompts.filter((line) => line.includes(`"${text}"`))).toHaveLength(1)
  page.close()
})
