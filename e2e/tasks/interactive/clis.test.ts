/** Interactive tasks of the other real CLIs. Some ask their terminal for its abilities, and no client is attached. */
// In the short form `claude.test.ts` has the interface of Claude Code, and `../../protocol/booby-trapped-clone.test.ts` the
// questions of the CLIs about a folder.
import '@slipway/testing/long'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../../support/api.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh } from '../../support/tasks/model.ts'
import { screenOfTask } from '../../support/tasks/terminal.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Longest time until an interface has answered, on a busy machine, in milliseconds. OpenCode needs ten seconds of a core. */
const ANSWER_MS = 120_000
/** It looks like an option. */
const PROMPT = '--help what is the answer?'

let admin: Client
beforeAll(async () => {
  admin = await signInAdmin()
})

/** The screen once it shows this text. */
const shows = async (id: string, text: string): Promise<string> => {
  let screen = ''
  const look = async (): Promise<boolean> => (screen = await screenOfTask(admin, id)).includes(text)
  await until(`the screen to show ${text}`, look, ANSWER_MS).catch((error: unknown) => {
    throw new Error(`it shows\n${screen}`, { cause: error })
  })
  return screen
}

// `../terminal/other-clis.test.ts` shows the interface of Gemini, and the next test that of Copilot.
it.each<Runtime>(['codex', 'opencode', ...inLongForm<Runtime>(['gemini-cli', 'copilot'])])(
  '%s begins with its prompt, and shows the answer in its output',
  async (runtime) => {
    const { name: agent } = await agentWithModel(admin, [{ say: 'Forty-two' }, { say: 'Forty-two' }], runtime)
    const { id } = await startTask(admin, { agent, mode: 'interactive', prompt: PROMPT })
    expect(await shows(id, 'Forty-two')).toContain(PROMPT)
    await admin.ok('DELETE', `/coding-agents/sessions/${id}`)
    expect(await endedTask(admin, id)).toMatchObject({ state: 'terminated', reason: 'terminated', costUsd: null })
    expect(await screenOfTask(admin, id)).not.toBe('')
  },
)

it('copilot asks whether a folder is trusted, and begins with its prompt after the answer', async () => {
  const { name: agent } = await agentWithModel(admin, [{ say: 'Forty-two' }], 'copilot')
  await sh(admin, agent, 'git init -q clone')
  const { id } = await startTask(admin, { agent, mode: 'interactive', prompt: PROMPT, cwd: 'clone' })
  await shows(id, 'Do you trust this folder?')
  await admin.ok('POST', `/coding-agents/sessions/${id}/input`, { data: 'y\r' })
  expect(await shows(id, 'Forty-two')).toContain(PROMPT)
  await admin.ok('DELETE', `/coding-agents/sessions/${id}`)
  await endedTask(admin, id)
})
