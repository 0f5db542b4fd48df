/** `slipway chat` with the real Claude Code: by scripts, and in a terminal. */
// In the short form the tests of the command have a conversation with a server of their own.
import '@slipway/testing/long'
import type { Conversation, Conversations } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, inject, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { MAIN, useCommand, valuesIn } from '../support/command.ts'
import { idle, send } from '../support/tasks/conversations.ts'
import { ASKED_MS } from '../support/tasks/follow.ts'
import { agentWithModel, sh } from '../support/tasks/model.ts'
import { startInPty } from '../support/terminal/pty.ts'

vi.setConfig({ testTimeout: 240_000 })

const slipway = useCommand()
const GATE = '/tmp/never'
let owner: Client
let agent: string
let env: Readonly<Record<string, string>>
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  const { token } = await owner.apiToken('tasks:read', 'tasks:write')
  env = { SLIPWAY_URL: inject('baseUrl'), SLIPWAY_TOKEN: token }
  const made = await agentWithModel(owner, {
    '@asked': [{ tool: 'Bash', input: { command: 'sudo touch asked', description: 'Do it' } }, { say: 'I stop.' }],
    '@silent': [{ say: 'Too late.', gate: GATE }],
    '@again': [{ say: 'And on.' }],
    '@remember': [{ say: 'I remember 42.' }],
    '@broken': [{ status: 400, error: 'invalid_request_error', say: 'this model is broken' }],
  })
  agent = made.name
  return () => owner.ok('DELETE', `/agents/${agent}`)
})

/** The only conversation that is not archived. */
const only = async (): Promise<Conversation> => {
  const { items } = await owner.ok<Conversations>('GET', '/conversations')
  expect(items).toHaveLength(1)
  return items[0]!
}

it('reads one message, prints its answer, and goes on later, for scripts', async () => {
  const first = await slipway.run(['chat', agent], { env, stdin: '@remember a number\n' })
  expect([first.code, first.stdout]).toEqual([0, 'I remember 42.\n'])
  const { id } = await only()
  expect(first.stderr).toContain(`slipway chat --continue ${id}`)
  const second = await slipway.run(['chat', '--continue', id, '--json'], { env, stdin: '@again' })
  expect(second.code).toBe(0)
  const values = valuesIn(second.stdout)
  expect(values).toContainEqual(expect.objectContaining({ type: 'text', text: 'And on.' }))
  expect(values.at(-1)).toMatchObject({ type: 'ended', session: { state: 'completed', prompt: '@again' } })
  // The model got what was said before.
  expect((await sh(owner, agent, 'tail -n 1 model.log')).trim()).toBe('asked @again @remember')
  const failed = await slipway.run(['chat', '--continue', id], { env, stdin: '@broken' })
  expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('this model is broken') as string })
  const refused = await Promise.all(
    [['chat'], ['chat', agent, '--continue', id], ['chat', agent]].map((argv) => slipway.run(argv, { env, stdin: '' })),
  )
  expect(refused.map(({ code }) => code)).toEqual([2, 2, 2])
  await owner.ok('PATCH', `/conversations/${id}`, { archived: true })
})

it('is a conversation in a terminal: questions, a queue, an interrupt, and what others say', async () => {
  const here = startInPty([process.execPath, MAIN, 'chat', agent, '--policy', 'ask'], { ...env, HOME: slipway.home })
  try {
    await here.prints(/A line is the next message/)
    here.type('@asked to do it\r')
    await here.prints(/sudo touch asked/, ASKED_MS)
    await here.prints(/Deny/)
    // The first option denies.
    here.type('\r')
    await here.prints(/Why not\?/)
    here.type('Not here.\r')
    await here.prints(/I stop\.[^]* completed/, ASKED_MS)
    const { id } = await only()
    await idle(owner, id, 1)

    here.type('@silent\r')
    const isWaiting = async (): Promise<boolean> =>
      (await sh(owner, agent, 'cat model.log')).includes(`waits for ${GATE}`)
    await until('the model to wait', isWaiting, ASKED_MS)
    here.type('@again please\r')
    await here.prints(/It waits for its turn/)
    here.type('/queue\r')
    await here.prints(/1\. @again please/)
    here.type('\x03')
    await here.prints(/The turn is interrupted/)
    await here.prints(/And on\./, ASKED_MS)
    await idle(owner, id, 3)

    await send(owner, id, '@remember this')
    await here.prints(/» @remember this[^]*I remember 42\./, ASKED_MS)
    await idle(owner, id, 4)
    here.type('/quit\r')
    expect(await here.ended).toBe(0)
    expect(here.printed()).toContain(`slipway chat --continue ${id}`)
  } finally {
    await here.end()
  }
})
