/** Tasks in the mode `pty`: the real CLIs on a terminal, and what they printed as plain text. */
import { stripVTControlCharacters } from 'node:util'
import type { CodingResult } from '@slipway/protocol'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../../support/api.ts'
import { refusalOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh } from '../../support/tasks/model.ts'

vi.setConfig({ testTimeout: 240_000 })

const RUN = '/coding-agents/run'
let admin: Client
/** With Claude Code. */
let agent = ''
beforeAll(async () => {
  admin = await signInAdmin()
  const script = { '@answer': [{ say: 'The answer is 42.' }], '@refused': [{ status: 401, say: 'no such key' }] }
  agent = (await agentWithModel(admin, script)).name
})
/** An agent with another CLI. */
const agentOf = async (runtime: Runtime): Promise<string> =>
  (await agentWithModel(admin, { '@answer': [{ say: 'The answer is 42.' }] }, runtime)).name

// In the short form Claude Code. The others run the same program with arguments of their own.
it.each<Runtime>(['claude-code', ...inLongForm<Runtime>(['codex', 'gemini-cli', 'opencode', 'copilot'])])(
  '%s answers on a terminal, and the result has its text without control sequences',
  async (runtime) => {
    const tried = runtime === 'claude-code' ? agent : await agentOf(runtime)
    const body = { agent: tried, mode: 'pty', prompt: '-- what is the @answer?' }
    const { status, body: result } = await admin.call<CodingResult>('POST', RUN, body)
    expect([status, result.error]).toEqual([200, null])
    expect(result).toMatchObject({ success: true, mode: 'pty', reason: 'completed', exitCode: 0, costUsd: null })
    expect(result.output).toContain('The answer is 42.')
    // Gemini CLI would warn of a terminal with few colours.
    expect(result.output).not.toContain('support not detected')
    expect(result.output).toBe(stripVTControlCharacters(result.output))
  },
)

// The same program of the image refuses for both, which `../../protocol/booby-trapped-clone.test.ts` starts.
it.each<Runtime>(inLongForm<Runtime>(['copilot', 'opencode']))(
  '%s does not wait for an answer when it would ask whether the folder is trusted',
  async (runtime) => {
    const tried = await agentOf(runtime)
    await sh(admin, tried, 'git init -q clone')
    const body = { agent: tried, mode: 'pty', prompt: 'hi', cwd: 'clone' }
    const { status, body: result } = await admin.call<CodingResult>('POST', RUN, body)
    expect(status).toBe(422)
    expect(result).toMatchObject({ success: false, reason: 'exit_code', exitCode: 77 })
    expect(result.output).toContain('nobody has said that they trust')
  },
)

it('a CLI that fails is answered with 422 and what it printed', async () => {
  const { status, body: result } = await admin.call<CodingResult>('POST', RUN, {
    agent,
    mode: 'pty',
    prompt: '@refused',
  })
  expect(status).toBe(422)
  expect(result).toMatchObject({ success: false, reason: 'exit_code', exitCode: 1 })
  expect(result.output).not.toBe('')
  const refused = (more: object) => refusalOf(admin, 'POST', RUN, { agent, mode: 'pty', prompt: 'hi', ...more })
  expect(await refused({ prompt: 'x'.repeat(131_072) })).toEqual([400, 'VALIDATION'])
  expect(await refused({ cwd: '/etc' })).toEqual([400, 'VALIDATION'])
  expect(await refused({ resume: result.id })).toEqual([400, 'VALIDATION'])
  expect(await refusalOf(admin, 'POST', '/coding-agents/sessions', { agent, mode: 'pty', prompt: 'hi' })).toEqual([
    ...[400, 'VALIDATION'],
  ])
})
