/** Conversations with the real Claude Code. */
import type { Conversation, ConversationTurns } from '@slipway/protocol'
import { disconnectAll, until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import {
  begin as beginWith,
  conversationOf,
  errored,
  idle as idleWith,
  pastOf,
  send as sendTo,
} from '../../support/tasks/conversations.ts'
import { ASKED_MS, refusalOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Script, sh } from '../../support/tasks/model.ts'
import { openTerminal, prompt as typeIn, terminalOf } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

const gate = (name: string): string => `/tmp/gate-${name}`
const SCRIPT: Script = {
  '@work': [
    { tool: 'Bash', input: { command: 'echo worked', description: 'Work' }, gate: gate('work') },
    { say: 'I went on.' },
  ],
  '@aside': [{ say: 'I heard the aside.' }],
  '@silent': [{ say: 'Too late.', gate: gate('never') }],
  '@remember': [{ say: 'I remember 42.' }],
  'typed-here': [{ say: 'I noted it.' }],
  '@broken': [{ status: 400, error: 'invalid_request_error', say: 'this model is broken' }],
}

let owner: Client
let agent = ''
afterEach(disconnectAll)
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, SCRIPT)).name
})

const begin = (prompt: string, more: object = {}): Promise<Conversation> => beginWith(owner, { agent, prompt, ...more })
const get = (id: string): Promise<Conversation> => conversationOf(owner, id)
const send = (id: string, text: string, more: object = {}) => sendTo(owner, id, text, more)
const past = (id: string) => pastOf(owner, id)
const idle = (id: string, turns: number): Promise<Conversation> => idleWith(owner, id, turns)
const waitsFor = (file: string): Promise<unknown> =>
  until(
    'the model to wait',
    async () => (await sh(owner, agent, 'cat model.log')).includes(`waits for ${file}`),
    ASKED_MS,
  )

it('a message steers the turn that runs, and one more waits for its end', async () => {
  const { id } = await begin('@work', { policy: 'tiers' })
  await waitsFor(gate('work'))
  await until('the turn to run', async () => (await get(id)).canSteer)
  expect((await send(id, '@remember the number')).state).toBe('queued')
  expect((await send(id, '@aside, be quick', { how: 'steer' })).state).toBe('steered')
  await sh(owner, agent, `touch ${gate('work')}`)
  await idle(id, 2)
  expect(await past(id)).toEqual([
    { text: '@work', state: 'sent', reason: 'completed', result: 'I heard the aside.' },
    { text: '@aside, be quick', state: 'steered', reason: null, result: null },
    { text: '@remember the number', state: 'sent', reason: 'completed', result: 'I remember 42.' },
  ])
})

it('an interrupted turn lets the next message go on in the same session; a failed one releases what waits', async () => {
  const { id } = await begin('@silent')
  await waitsFor(gate('never'))
  expect(await refusalOf(owner, 'POST', `/conversations/${id}/messages`, { text: 'now', how: 'steer' })).toEqual([
    ...[409, 'CANNOT_STEER'],
  ])
  await send(id, '@remember')
  await owner.ok('POST', `/conversations/${id}/interrupt`)
  const { cliSessionId } = await idle(id, 2)
  const [interrupted, next] = await past(id)
  expect(interrupted).toMatchObject({ reason: 'terminated' })
  expect(next).toMatchObject({ reason: 'completed', result: 'I remember 42.' })
  await send(id, '@broken')
  expect((await errored(owner, id)).error).toContain('this model is broken')
  await send(id, '@remember again')
  expect(await idle(id, 4)).toMatchObject({ state: 'active', error: null, cliSessionId })
})

it('is forked into a session of its own; a session that Claude has lost is followed by a new one', async () => {
  const { id } = await begin('@remember')
  const first = await idle(id, 1)
  const fork = await owner.ok<Conversation>('POST', `/conversations/${id}/fork`, {})
  await send(fork.id, '@aside')
  const forked = await idle(fork.id, 1)
  expect(forked).toMatchObject({ state: 'active', forkedFrom: id })
  expect(forked.cliSessionId).not.toBe(first.cliSessionId)
  // The model of the fork got what was said before; the first session did not get the rest.
  expect(await sh(owner, agent, 'tail -n 1 model.log')).toBe('asked @aside @remember\n')
  expect(await sh(owner, agent, `cat .claude/projects/*/${first.cliSessionId}.jsonl`)).not.toContain('@aside')

  await sh(owner, agent, `rm .claude/projects/*/${first.cliSessionId}.jsonl`)
  await send(id, '@remember more')
  expect((await errored(owner, id)).error).toContain('The next message begins a new session')
  expect((await past(id)).at(-1)).toMatchObject({ reason: 'session_lost' })
  await send(id, '@remember from now on')
  const again = await idle(id, 3)
  expect(again).toMatchObject({ state: 'active', error: null })
  expect(again.cliSessionId).not.toBe(first.cliSessionId)
})

// `backend/src/modules/conversations/in-terminal/said.test.ts` has it without Claude, `../terminal/claude.test.ts` the terminal.
longIt('has what was said in a terminal that continued it', async () => {
  const { id } = await begin('@remember')
  const { lastRunId } = await idle(id, 1)
  const terminal = await openTerminal(owner, await terminalOf(owner, lastRunId ?? ''))
  const screen = new Emulated(terminal)
  await typeIn(terminal, screen, { text: 'typed-here', answer: 'I noted it.' })
  await terminal.disconnect()
  await expect
    .poll(() => past(id), { timeout: ASKED_MS })
    .toEqual([
      { text: '@remember', state: 'sent', reason: 'completed', result: 'I remember 42.' },
      { text: 'typed-here', state: 'terminal', reason: null, result: null },
    ])
  const { items } = await owner.ok<ConversationTurns>('GET', `/conversations/${id}/messages`)
  expect(items[1]?.message.answer).toBe('I noted it.')
})
