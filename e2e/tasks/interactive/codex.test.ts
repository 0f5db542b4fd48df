/** An interactive task of the real Codex, which asks its terminal where the cursor is, and no client is attached. */
import type { CodingSessionOutput } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../../support/api.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel } from '../../support/tasks/model.ts'

vi.setConfig({ testTimeout: 240_000 })

const SESSIONS = '/coding-agents/sessions'
/** Longest time until the interface has answered, on a busy machine, in milliseconds. */
const ANSWER_MS = 120_000
let admin: Client
beforeAll(async () => {
  admin = await signInAdmin()
})

it('begins with its prompt, and shows the answer in its output', async () => {
  const { name: agent } = await agentWithModel(admin, [{ say: 'Forty-two' }, { say: 'Forty-two' }], 'codex')
  const { id } = await startTask(admin, { agent, mode: 'interactive', prompt: 'what is the answer?' })
  const output = async (): Promise<string> =>
    (await admin.ok<CodingSessionOutput>('GET', `${SESSIONS}/${id}/output`)).output
  await until('the answer', async () => (await output()).includes('Forty-two'), ANSWER_MS)
  await admin.ok('DELETE', `${SESSIONS}/${id}`)
  expect(await endedTask(admin, id)).toMatchObject({ state: 'terminated', reason: 'terminated', costUsd: null })
  expect(await output()).toContain('Forty-two')
})
