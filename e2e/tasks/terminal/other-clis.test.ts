/** Tasks of the other real CLIs go on in their terminals, and the other way round. */
// In the short form claude.test.ts has the same with Claude Code, and interactive/clis.test.ts the others.
import '@slipway/testing/long'
import { disconnectAll, until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
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
  // Its interface takes half a minute of CPU time. In the short form `../interactive/clis.test.ts` shows it, and
  // `../other-clis.test.ts` continues its conversation.
  ...inLongForm<{ runtime: Runtime; mode: string }>([{ runtime: 'opencode', mode: 'opencode' }]),
]

let owner: Client
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})
afterEach(disconnectAll)

describe.each(CLIS)('a conversation of $runtime', ({ runtime, mode }) => {
  it('moves from a task to a terminal, and to the next task', async () => {
    const { name: agent } = await agentWithModel(owner, SCRIPT, runtime)
    const { id } = await startTask(owner, { agent, prompt: '@remember a number' })
    const { cliSessionId } = await endedTask(owner, id)
    const place = await terminalOf(owner, id)
    expect(place).toMatchObject({ mode, cliSessionId })
    const terminal = await openTerminal(owner, place)
    const screen = new Emulated(terminal)
    await screen.shows(/remember 4217/)
    await prompt(terminal, screen, { text: 'typed-here', answer: 'noted 9138' })
    await terminal.disconnect()
    const next = await until('the terminal to be gone', async () => {
      const { status, body } = await owner.call<{ id: string }>('POST', '/coding-agents/sessions', {
        agent,
        prompt: '@again',
        resume: id,
      })
      return status === 201 && body
    })
    expect(await endedTask(owner, next.id)).toMatchObject({ result: 'And on.', cliSessionId })
    // The model got what was typed in the terminal.
    expect((await sh(owner, agent, 'cat model.log')).trimEnd().split('\n').at(-1)).toBe(
      'asked @remember typed-here @again',
    )
  })
})
