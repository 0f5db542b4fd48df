/** The keys that tasks get, and CLIs that an agent lacks. */
import type { CodingSession, ErrorBody } from '@slipway/protocol'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { endedTask, startTask } from '../support/tasks/follow.ts'
import { agentWithModel, MODEL_SERVER, sh } from '../support/tasks/model.ts'

const SESSIONS = '/coding-agents/sessions'
const SCRIPT = { '@quick': [{ say: 'Quick.' }] }
const QUICK = { state: 'completed', result: 'Quick.' }
/** What Cursor prints, by its documentation. */
const TRANSCRIPT = new URL('../../backend/test/fixtures/transcripts/cursor/documented.jsonl', import.meta.url)

let owner: Client

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})

const run = async (agent: string, more: object = {}): Promise<CodingSession> =>
  endedTask(owner, (await startTask(owner, { agent, prompt: '@quick', ...more })).id)
const setVariable = (agent: string, name: string, value: string): Promise<unknown> =>
  owner.ok('PUT', `/agents/${agent}/variables/${name}`, { value, secret: name.endsWith('KEY') })
const dropVariable = (agent: string, name: string): Promise<unknown> =>
  owner.ok('DELETE', `/agents/${agent}/variables/${name}`)
/** The key of the last request to the model. */
const lastKey = async (agent: string): Promise<string | undefined> =>
  (await sh(owner, agent, 'cat model.log')).match(/^key .*$/gm)?.at(-1)
const refusal = async (body: object): Promise<[status: number, code: string, message: string]> => {
  const answer = await owner.call<ErrorBody>('POST', SESSIONS, { prompt: '@quick', ...body })
  return [answer.status, answer.body.code, answer.body.message]
}

describe('a task of Claude Code', () => {
  it('uses an AI gateway: a credential, or variables of the agent', async () => {
    const { name: agent } = await agentWithModel(owner, SCRIPT)
    for (const name of ['ANTHROPIC_BASE_URL', 'ANTHROPIC_API_KEY']) await dropVariable(agent, name)
    const gateway = `/agents/${agent}/credentials/ai-gateway`
    await owner.ok('PUT', gateway, { value: 'token-of-the-credential', address: MODEL_SERVER })
    expect(await run(agent)).toMatchObject(QUICK)
    expect(await lastKey(agent)).toBe('key Bearer token-of-the-credential')
    await owner.ok('DELETE', gateway)

    await setVariable(agent, 'ANTHROPIC_BASE_URL', MODEL_SERVER)
    await setVariable(agent, 'AI_GATEWAY_API_KEY', 'token-of-the-variable')
    expect(await run(agent)).toMatchObject(QUICK)
    expect(await lastKey(agent)).toBe('key Bearer token-of-the-variable')
  })
})

describe('a task of Codex', () => {
  it('is refused before it starts if its key is no key of OpenAI, unless another server is named', async () => {
    const { name: agent } = await agentWithModel(owner, SCRIPT, 'codex')
    await setVariable(agent, 'OPENAI_API_KEY', 'key-of-another-server')
    const refused = [422, 'KEY_REFUSED', expect.stringContaining('OPENAI_BASE_URL')]
    expect(await refusal({ agent })).toEqual(refused)
    expect(await owner.ok('GET', SESSIONS)).not.toContainEqual(expect.objectContaining({ agent }))

    await setVariable(agent, 'OPENAI_BASE_URL', `${MODEL_SERVER}/v1`)
    expect(await run(agent)).toMatchObject(QUICK)
    expect(await lastKey(agent)).toBe('key Bearer key-of-another-server')
  })
})

describe('a task of Cursor', () => {
  it('is refused with the command that installs Cursor, and runs once a user has installed it', async () => {
    const { name: agent } = await owner.agent({ runtime: 'bash' })
    const cursor = { agent, provider: 'cursor-agent' }
    expect(await refusal(cursor)).toEqual([422, 'CLI_NOT_INSTALLED', expect.stringContaining('cursor.com/install')])

    // In place of the real program, which no registry has.
    await owner.upload(agent, 'transcript.jsonl', readFileSync(TRANSCRIPT))
    const program = '#!/bin/sh\\necho "$@" >arguments; cat >prompt; cat transcript.jsonl\\n'
    await sh(owner, agent, `mkdir -p .local/bin && cd .local/bin && printf '${program}' >cursor-agent && chmod +x *`)
    expect(await run(agent, cursor)).toMatchObject({ state: 'completed', result: 'The summary is in summary.txt.' })
    expect(await sh(owner, agent, 'cat arguments prompt')).toBe('-p --output-format stream-json --force\n@quick')
  })
})
