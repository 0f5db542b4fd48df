/** Custom providers: who has them, how their programs start, and what becomes of what they print. */
import type { CliProvider, CliProviderTest, CodingAgentStatus, CodingSession } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, eventsOf, startTask } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { agentWithStub, BINARY, stubProvider } from '../../support/tasks/stub.ts'

const PROVIDERS = '/cli-providers'

let owner: Client
let stranger: Client
let agent = ''

beforeAll(async () => {
  const admin = await signInAdmin()
  owner = await newUser(admin)
  stranger = await newUser(admin)
  agent = await agentWithStub(owner)
})

const run = async (name: string, prompt: string, more: object = {}): Promise<CodingSession> =>
  endedTask(owner, (await startTask(owner, { agent, provider: `custom:${name}`, prompt, ...more })).id)
const refusal = async (method: string, path: string, body: object): Promise<[number, string, string]> => {
  const answer = await owner.call<{ code: string; message: string }>(method, path, body)
  return [answer.status, answer.body.code, answer.body.message]
}
const refused = (name: string, more: object): Promise<[number, string, string]> =>
  refusal('POST', '/coding-agents/sessions', { agent, provider: `custom:${name}`, prompt: 'go', ...more })

const statuses = (): Promise<CodingAgentStatus[]> => owner.ok('GET', `/coding-agents/status?agent=${agent}`)
/**
 * The statuses with all versions but that of Cursor, which is missing. A program that did not say its version in time is asked
 * again.
 */
const withVersions = (): Promise<CodingAgentStatus[]> =>
  until('all versions', async () => {
    const found = await statuses()
    return found.filter(({ version }) => version === null).length === 1 && found
  })

describe('a custom provider', () => {
  it('is created in snake case and answered in camel case, changed and deleted', async () => {
    const body = { name: 'aider', display_name: 'Aider', binary: 'aider', default_args: ['--yes'] }
    const created = await owner.ok<CliProvider>('POST', PROVIDERS, { ...body, prompt_template: '--message {prompt}' })
    expect(created).toMatchObject({
      ...{ userId: owner.userId, name: 'aider', displayName: 'Aider', binary: 'aider', defaultArgs: ['--yes'] },
      ...{ category: 'general', authMethod: 'none', promptVia: 'argument', outputFormat: 'text', isActive: true },
      ...{ defaultTimeoutMs: 300_000, maxTimeoutMs: 1_800_000, promptTemplate: '--message {prompt}', icon: null },
    })
    const path = `${PROVIDERS}/${created.id}`
    const changed = await owner.ok<CliProvider>('PUT', path, { display_name: 'Other', prompt_template: null })
    expect(changed).toMatchObject({
      ...created,
      displayName: 'Other',
      promptTemplate: null,
      updatedAt: expect.any(String),
    })
    expect(await owner.ok('GET', PROVIDERS)).toEqual([changed])
    expect(await refusal('POST', PROVIDERS, body)).toEqual([409, 'NAME_TAKEN', expect.stringContaining("'aider'")])
    await owner.ok('DELETE', path)
    expect(await owner.ok('GET', PROVIDERS)).toEqual([])
    expect(await refusal('PUT', path, {})).toEqual([404, 'NOT_FOUND', expect.any(String)])
  })

  it('belongs to its user only', async () => {
    const { id, name } = await stubProvider(owner)
    expect(await stranger.ok('GET', PROVIDERS)).toEqual([])
    for (const [method, end] of [
      ['PUT', ''],
      ['DELETE', ''],
      ['POST', '/test'],
    ] as const)
      expect((await stranger.call(method, `${PROVIDERS}/${id}${end}`, {})).status).toBe(404)
    await owner.ok('POST', `/agents/${agent}/shares`, { email: stranger.email })
    const body = { agent, provider: `custom:${name}`, prompt: 'go' }
    expect(await stranger.call('POST', '/coding-agents/sessions', body)).toMatchObject({ status: 400 })
    await owner.ok('DELETE', `/agents/${agent}/shares/${stranger.userId}`)
    // With the same name, the other user has another provider.
    expect(await stubProvider(stranger, { name })).toMatchObject({ name, userId: stranger.userId })
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it.each<[field: string, fields: object]>([
    ['name', { name: 'Aider' }],
    ['binary', { binary: '../aider' }],
    ['binary', { binary: '/opt/../bin/sh' }],
    ['binary', { binary: 'aider --yes' }],
    ['binary', { binary: '-aider' }],
    ['binary', { binary: 'sh;id' }],
    ['api_key_env_var', { auth_method: 'env_var', api_key_env_var: 'LD_PRELOAD' }],
    ['api_key_env_var', { auth_method: 'env_var', api_key_env_var: 'PATH' }],
    ['api_key_env_var', { auth_method: 'env_var', api_key_env_var: 'NODE_OPTIONS' }],
    ['api_key_env_var', { auth_method: 'env_var', api_key_env_var: 'A B' }],
    ['api_key_env_var', { auth_method: 'env_var' }],
    ['config_service_name', { auth_method: 'config_center', api_key_env_var: 'MY_KEY' }],
    ['config_service_name', { config_service_name: 'coding-unknown' }],
    ['prompt_template', { prompt_template: "--message '{prompt}" }],
    ['prompt_template', { prompt_template: '--message', prompt_via: 'argument' }],
    ['prompt_template', { prompt_template: '{prompt}', prompt_via: 'stdin' }],
    ['default_timeout_ms', { default_timeout_ms: 2_000, max_timeout_ms: 1_000 }],
    ['max_timeout_ms', { max_timeout_ms: 1_800_001 }],
  ])('with a wrong %s is refused: %j', async (field, fields) => {
    const body = { name: 'wrong', display_name: 'Wrong', binary: 'aider', ...fields }
    expect(await refusal('POST', PROVIDERS, body)).toEqual([400, 'VALIDATION', expect.stringContaining(field)])
  })
})

describe('the program of a custom provider', () => {
  const told = async (name: string, prompt: string, more: object = {}) =>
    JSON.parse((await run(name, prompt, more)).result ?? '') as {
      argv: string[]
      cwd: string
      prompt: string
      mode?: string
    }
  const PROMPT = `--help "two  words" $(id) \`id\` 'it' {model} @tell`

  it('gets its arguments as they are, and no shell looks at them', async () => {
    const prompt_template = `--in {cwd} "--model={model}" -m {model} --message={prompt} {prompt}`
    const fields = { default_args: ['--via', 'argument'], prompt_via: 'argument', prompt_template }
    const { id, name } = await stubProvider(owner, fields)
    await sh(owner, agent, "mkdir -p 'my project'")
    const folder = '/home/developer/my project'
    expect(await told(name, PROMPT, { cwd: 'my project', model: 'opus[1m]' })).toEqual({
      argv: ['--via', 'argument', '--in', folder, '--model=opus[1m]', '-m', 'opus[1m]', `--message=${PROMPT}`, PROMPT],
      ...{ cwd: folder, prompt: PROMPT },
    })
    const { argv } = await told(name, PROMPT)
    expect(argv).toEqual(['--via', 'argument', '--in', '/home/developer', `--message=${PROMPT}`, PROMPT])
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it('gets a long prompt on its standard input, or in a file that only its user can read', async () => {
    const prompt = `${'long '.repeat(150_000)}@tell`
    const byInput = await stubProvider(owner)
    expect(await run(byInput.name, prompt)).toMatchObject({ state: 'completed' })
    const fields = { default_args: ['--via', 'file', '--from'], prompt_via: 'file' }
    const byFile = await stubProvider(owner, fields)
    const { argv, mode, prompt: read } = await told(byFile.name, PROMPT)
    expect([argv.slice(0, -1), read, mode]).toEqual([['--via', 'file', '--from'], PROMPT, '600'])
    expect(await run(byFile.name, prompt)).toMatchObject({ state: 'completed' })
    expect(await sh(owner, agent, 'ls -A /tmp | grep -c prompt || true')).toBe('0\n')
    const byArgument = await stubProvider(owner, { default_args: ['--via', 'argument'], prompt_via: 'argument' })
    expect(await refused(byArgument.name, { prompt })).toEqual([
      400,
      'VALIDATION',
      expect.stringContaining('prompt_via: stdin'),
    ])
    for (const { id } of [byInput, byFile, byArgument]) await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it('runs no longer than its provider says', async () => {
    const limits = { default_timeout_ms: 2_000, max_timeout_ms: 3_000 }
    const { id, name } = await stubProvider(owner, limits)
    const task = await run(name, '@silent-after-tool')
    expect(task).toMatchObject({ reason: 'timed_out', error: expect.stringContaining('2 seconds') })
    expect(await refused(name, { timeout_seconds: 4 })).toEqual([400, 'VALIDATION', expect.stringContaining('<= 3')])
    expect(await refused(name, { model: 'opus' })).toEqual([400, 'VALIDATION', expect.stringContaining('body.model')])
    await owner.ok('PUT', `${PROVIDERS}/${id}`, { is_active: false })
    expect(await refused(name, {})).toEqual([400, 'VALIDATION', expect.stringContaining('not active')])
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
    expect(await refused(name, {})).toEqual([400, 'VALIDATION', expect.stringContaining(`custom:${name}`)])
  })

  it('that is missing is refused, of a built-in provider with the command that installs it', async () => {
    const { id, name } = await stubProvider(owner, { binary: 'no-such-program' })
    expect(await refused(name, {})).toEqual([422, 'CLI_NOT_INSTALLED', expect.stringContaining('no-such-program')])
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
    const sessions = await owner.ok<CodingSession[]>('GET', '/coding-agents/sessions')
    expect(sessions.filter(({ provider }) => provider === `custom:${name}`)).toEqual([])
  })
})

describe('the key of a custom provider', () => {
  const KEY = 'sk-of-the-agent-4711-0815'
  const environment = async (name: string) =>
    JSON.parse((await run(name, '@env')).result ?? '') as Record<string, string>

  it('is the one in force for its service, in the variable that it names, and nowhere in the output', async () => {
    await owner.ok('PUT', `/agents/${agent}/credentials/openai-api-key`, { value: KEY })
    const fields = { auth_method: 'config_center', config_service_name: 'coding-codex', api_key_env_var: 'MY_OWN_KEY' }
    const { id, name } = await stubProvider(owner, fields)
    expect(await environment(name)).toMatchObject({ MY_OWN_KEY: '***', OPENAI_API_KEY: '***' })
    await owner.ok('PUT', `${PROVIDERS}/${id}`, { auth_method: 'none' })
    const without = await environment(name)
    expect(without).not.toHaveProperty('MY_OWN_KEY')
    expect(without).not.toHaveProperty('OPENAI_API_KEY')
    await owner.ok('DELETE', `/agents/${agent}/credentials/openai-api-key`)
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it('is the variable of the agent that it names', async () => {
    const fields = { auth_method: 'env_var', api_key_env_var: 'MY_OWN_KEY' }
    const { id, name } = await stubProvider(owner, fields)
    const status = async () => (await statuses()).find(({ provider }) => provider === `custom:${name}`)
    expect(await status()).toMatchObject({ hasApiKey: false, configured: false, authMethod: 'env_var' })
    await owner.ok('PUT', `/agents/${agent}/variables/MY_OWN_KEY`, { value: KEY, secret: true })
    expect(await environment(name)).toMatchObject({ MY_OWN_KEY: '***' })
    expect(await status()).toMatchObject({ hasApiKey: true, configured: true })
    await owner.ok('DELETE', `/agents/${agent}/variables/MY_OWN_KEY`)
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })
})

describe('the version of a program', () => {
  it('is asked once for many requests, and again by a test', async () => {
    // Its program then has the time of a look for itself.
    await withVersions()
    const program = (version: string): string => `#!/bin/sh\necho asked >>~/asked\necho ${version}\n`
    await owner.upload(agent, 'counted', program('1.2.3'))
    await sh(owner, agent, 'chmod +x counted')
    const { id, name } = await stubProvider(owner, { binary: '/home/developer/counted' })
    const version = async (): Promise<string | null | undefined> =>
      (await statuses()).find(({ provider }) => provider === `custom:${name}`)?.version
    expect(await Promise.all([version(), version()])).toEqual(['1.2.3', '1.2.3'])
    await owner.upload(agent, 'counted', program('1.3.0'))
    await sh(owner, agent, 'chmod +x counted')
    expect(await version()).toBe('1.2.3')
    const tested = await owner.ok<CliProviderTest>('POST', `${PROVIDERS}/${id}/test`, { agent })
    expect([tested.version, await version()]).toEqual(['1.3.0', '1.3.0'])
    expect(await sh(owner, agent, 'grep -c asked asked')).toBe('2\n')
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })
})

describe('the output of a custom provider', () => {
  it('as plain text is its result', async () => {
    const { id, name } = await stubProvider(owner, {
      default_args: ['--via', 'stdin', '--text'],
      output_format: 'text',
    })
    const task = await run(name, 'go')
    expect(task).toMatchObject({ state: 'completed', result: 'Well done.', displayName: 'Stub', cliSessionId: null })
    expect(await eventsOf(owner, task.id)).toMatchObject([{ seq: 1, type: 'text', text: 'Well done.' }])
    expect(await run(name, '@nothing')).toMatchObject({ reason: 'finished_without_work' })
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it('as one JSON document has its result', async () => {
    const { id, name } = await stubProvider(owner, { output_format: 'json' })
    expect(await run(name, '@twice')).toMatchObject({ state: 'completed', result: 'Second.' })
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })
})

describe('the status of coding CLIs', () => {
  it('tells of each built-in and each custom provider what the agent has', async () => {
    const { id, name } = await stubProvider(owner)
    const all = await withVersions()
    expect(all.map(({ provider }) => provider)).toEqual([
      ...['claude-code', 'gemini-cli', 'codex', 'copilot', 'opencode', 'cursor-agent', `custom:${name}`],
    ])
    const [cursor] = all.splice(5, 1)
    expect(cursor).toMatchObject({ installed: false, configured: false, version: null, defaultModel: null })
    for (const one of all)
      expect(one).toMatchObject({
        installed: true,
        version: expect.stringMatching(/^\d+\.\d+\.\d+/),
        ptyAvailable: true,
      })
    expect(all[0]).toMatchObject({
      displayName: 'Claude Code',
      authMethod: 'both',
      installCommand: 'npm i -g @anthropic-ai/claude-code',
    })
    expect(all.at(-1)).toMatchObject({ version: '1.2.3', authMethod: 'none', configured: true, installCommand: null })
    expect(await owner.ok<CliProviderTest>('POST', `${PROVIDERS}/${id}/test`, { agent })).toEqual({
      ...{ installed: true, version: '1.2.3', binary: BINARY },
    })
    await owner.ok('PUT', `${PROVIDERS}/${id}`, { binary: '/no/such/program' })
    expect(await owner.ok('POST', `${PROVIDERS}/${id}/test`, { agent })).toMatchObject({
      installed: false,
      version: null,
    })
    expect(await owner.ok('POST', '/coding-agents/test', { agent, provider: 'codex' })).toMatchObject({
      ...{ provider: 'codex', available: true, installed: true, configured: false },
    })
    await owner.ok('DELETE', `${PROVIDERS}/${id}`)
  })

  it('is not told of an agent that does not run', async () => {
    const { name } = await owner.agent()
    await owner.ok('POST', `/agents/${name}/stop?wait=true`)
    const answer = await owner.call<{ code: string }>('GET', `/coding-agents/status?agent=${name}`)
    expect([answer.status, answer.body.code]).toEqual([409, 'WRONG_STATE'])
  })
})
