/** Conversations with the other real CLIs: each knows what was said, and one that has lost its session says so. */
// In the short form claude.test.ts has the same with Claude Code, and the tests of each CLI’s output what it says.
import '@slipway/testing/long'
import type { Conversation } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm, longIt } from '@slipway/testing/forms'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { begin, conversationOf, errored, idle, pastOf, send } from '../../support/tasks/conversations.ts'
import { ASKED_MS } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, type Script, sh } from '../../support/tasks/model.ts'

vi.setConfig({ testTimeout: 240_000 })

const GATE = '/tmp/gate-work'
const SCRIPT: Script = {
  '@again': [{ say: 'And on.' }],
  '@remember': [{ say: 'I remember 42.' }],
}
/** What the model server prints of a request with both prompts. */
const ALL = 'asked @again @remember'
const CLIS: readonly { readonly runtime: Runtime; readonly sessions: string }[] = [
  { runtime: 'codex', sessions: '.codex/sessions' },
  { runtime: 'gemini-cli', sessions: '.gemini/tmp' },
  { runtime: 'copilot', sessions: '.copilot/session-state' },
  // Each start of OpenCode takes many seconds of CPU time. The short form has the others.
  ...inLongForm([{ runtime: 'opencode', sessions: '.local/share/opencode' }] as const),
]

let owner: Client
/** A test may take minutes, and a sign-in does not last for all of them. */
beforeEach(async () => {
  owner = await newUser(await signInAdmin())
})

const lastAsked = async (agent: string): Promise<string> =>
  (await sh(owner, agent, 'cat model.log')).trimEnd().split('\n').at(-1) ?? ''

describe.each(CLIS)('a conversation with $runtime', ({ runtime, sessions }) => {
  const goesOnAfterALoss = async (policy: 'skip' | 'ask'): Promise<void> => {
    const { name: agent } = await agentWithModel(owner, SCRIPT, runtime)
    const { id } = await begin(owner, { agent, prompt: '@remember a number', policy })
    const { cliSessionId } = await idle(owner, id, 1)
    await send(owner, id, '@again')
    expect(await idle(owner, id, 2)).toMatchObject({ state: 'active', cliSessionId })
    // The model got what was said before.
    expect(await lastAsked(agent)).toBe(ALL)

    await sh(owner, agent, `rm -r ${sessions}`)
    await send(owner, id, '@again, please')
    expect((await errored(owner, id)).error).toContain('The next message begins a new session')
    expect((await pastOf(owner, id)).at(-1)).toMatchObject({ reason: 'session_lost' })

    await send(owner, id, '@remember it anew')
    const anew = await idle(owner, id, 4)
    expect(anew).toMatchObject({ state: 'active', error: null })
    expect(anew.cliSessionId).not.toBe(cliSessionId)
    expect((await pastOf(owner, id)).at(-1)).toMatchObject({ result: 'I remember 42.' })
    expect(await lastAsked(agent)).toBe('asked @remember')
  }

  it('has one session for all turns, and goes on in a new one after the CLI has lost it', async () => {
    await goesOnAfterALoss('skip')
  })

  // The short form has it without people.
  longIt('has one session where people are asked, too', async () => {
    await goesOnAfterALoss('ask')
  })
})

describe('a conversation that is forked', () => {
  const itForks = async (runtime: Runtime, policy: 'skip' | 'ask'): Promise<void> => {
    const { name: agent } = await agentWithModel(owner, SCRIPT, runtime)
    const { id } = await begin(owner, { agent, prompt: '@remember a number', policy })
    const { cliSessionId } = await idle(owner, id, 1)
    const fork = await owner.ok<Conversation>('POST', `/conversations/${id}/fork`, {})
    await send(owner, fork.id, '@again')
    const forked = await idle(owner, fork.id, 1)
    expect(forked).toMatchObject({ state: 'active', error: null, forkedFrom: id })
    expect(forked.cliSessionId).not.toBe(cliSessionId)
    expect(await lastAsked(agent)).toBe(ALL)
    // The first session did not get what was said in the other one.
    await send(owner, id, '@remember more')
    expect(await idle(owner, id, 2)).toMatchObject({ cliSessionId })
    expect(await lastAsked(agent)).toBe('asked @remember')
    await send(owner, fork.id, '@again')
    expect(await idle(owner, fork.id, 2)).toMatchObject({ cliSessionId: forked.cliSessionId })
    expect(await lastAsked(agent)).toBe(ALL)
  }

  it('has a session of its own, with Codex', () => itForks('codex', 'skip'))
  longIt('has a session of its own, with OpenCode', () => itForks('opencode', 'skip'))
  longIt('has a session of its own where Codex asks people', () => itForks('codex', 'ask'))
  longIt('has a session of its own where OpenCode asks people', () => itForks('opencode', 'ask'))
})

it('a message steers the turn of Codex that runs', async () => {
  const script = {
    '@work': [{ tool: 'exec_command', input: { cmd: 'echo worked' }, gate: GATE }, { say: 'I went on.' }],
    '@aside': [{ say: 'I heard the aside.' }],
  }
  const { name: agent } = await agentWithModel(owner, script, 'codex')
  const { id } = await begin(owner, { agent, prompt: '@work', policy: 'tiers' })
  const isWaiting = async (): Promise<boolean> =>
    (await sh(owner, agent, 'cat model.log')).includes(`waits for ${GATE}`)
  await until('the model to wait', isWaiting, ASKED_MS)
  await until('the turn to run', async () => (await conversationOf(owner, id)).canSteer)
  expect((await send(owner, id, '@aside, be quick', { how: 'steer' })).state).toBe('steered')
  await sh(owner, agent, `touch ${GATE}`)
  await idle(owner, id, 1)
  expect(await pastOf(owner, id)).toEqual([
    { text: '@work', state: 'sent', reason: 'completed', result: 'I heard the aside.' },
    { text: '@aside, be quick', state: 'steered', reason: null, result: null },
  ])
})
