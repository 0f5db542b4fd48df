/** Conversations with the other real CLIs go on in their terminals, and the other way round. */
// In the short form `claude.test.ts` has the same with Claude Code, and `../other-clis.test.ts` runs a task of each CLI.
import '@slipway/testing/long'
import type { ConversationTurns } from '@slipway/protocol'
import { disconnectAll } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { begin, idle, pastOf, send } from '../../support/tasks/conversations.ts'
import { ASKED_MS } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh } from '../../support/tasks/model.ts'
import { openTerminal, prompt, terminalOf } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

const SCRIPT = {
  '@remember': [{ say: 'I remember 4217.' }],
  'typed-here': [{ say: 'I noted 9138.' }],
  '@again': [{ say: 'And on.' }],
}
const CLIS: readonly { runtime: Runtime; mode: string }[] = [
  { runtime: 'codex', mode: 'codex' },
  { runtime: 'gemini-cli', mode: 'gemini' },
  { runtime: 'copilot', mode: 'copilot' },
  // Its interface takes half a minute of CPU time. `../other-clis.test.ts` continues its conversation.
  ...inLongForm<{ runtime: Runtime; mode: string }>([{ runtime: 'opencode', mode: 'opencode' }]),
]

let owner: Client
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})
afterEach(disconnectAll)

describe.each(CLIS)('a conversation of $runtime', ({ runtime, mode }) => {
  it('moves from a turn to a terminal, and with what was said there to the next turn', async () => {
    const { name: agent } = await agentWithModel(owner, SCRIPT, runtime)
    const { id } = await begin(owner, { agent, prompt: '@remember a number' })
    const { lastRunId, cliSessionId } = await idle(owner, id, 1)
    const place = await terminalOf(owner, lastRunId ?? '')
    expect(place).toMatchObject({ mode, cliSessionId })
    const terminal = await openTerminal(owner, place)
    const screen = new Emulated(terminal)
    await screen.shows(/remember 4217/)
    await prompt(terminal, screen, { text: 'typed-here', answer: 'noted 9138' })
    await terminal.disconnect()
    // What was said there is in the conversation.
    const said = async () =>
      (await owner.ok<ConversationTurns>('GET', `/conversations/${id}/messages`)).items.map(({ message }) => [
        ...[message.text, message.state, message.answer],
      ])
    const before = [
      ['@remember a number', 'sent', null],
      ['typed-here', 'terminal', 'I noted 9138.'],
    ]
    await expect.poll(said, { timeout: ASKED_MS }).toEqual(before)
    await send(owner, id, '@again')
    expect(await idle(owner, id, 2)).toMatchObject({ state: 'active', error: null, cliSessionId })
    expect(await said()).toEqual([...before, ['@again', 'sent', null]])
    expect((await pastOf(owner, id)).at(-1)).toMatchObject({ result: 'And on.' })
    // The model got what was typed in the terminal.
    expect((await sh(owner, agent, 'cat model.log')).trimEnd().split('\n').at(-1)).toBe(
      'asked @remember typed-here @again',
    )
  })
})
