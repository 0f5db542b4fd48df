/** Real coding CLIs outside of the platform hand a task to an agent, with the tools for other AIs. */
// In the short form `tools.test.ts` has the tools with the protocol’s own client, and `../relay/clis.test.ts` Claude Code with them.
import '@slipway/testing/long'
import type { CodingResults } from '@slipway/protocol'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { agentWithModel, sh, type Step } from '../../support/tasks/model.ts'
import { startOutside } from '../../support/tasks/outside.ts'

const INNER = {
  '@make': [
    { tool: 'Write', input: { file_path: '/home/developer/made.txt', content: 'made\n' } },
    { say: 'The file is there.' },
  ],
}
const TASK = { provider: 'claude-code', prompt: '@make a file' }
const KEY = 'sk-ant-of-the-tests-0123456789'

interface Cli {
  readonly name: string
  readonly server: string
  readonly call: Step
  /** The file that configures the tools, and how the CLI is started. `model` is the address of the model server. */
  readonly file: string
  settings(url: string, token: string, model: string): string
  readonly argv: readonly string[]
  env(token: string, model: string): Readonly<Record<string, string>>
}

const CLIS: readonly Cli[] = [
  {
    name: 'Claude Code',
    server: 'scripted-model.mjs',
    call: { tool: 'mcp__slipway__run_coding_task', input: TASK },
    file: 'servers.json',
    settings: (url, token) =>
      JSON.stringify({ mcpServers: { slipway: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }),
    argv: ['claude', '-p', '@delegate', '--mcp-config=servers.json', '--dangerously-skip-permissions'],
    env: (_token, model) => ({ ANTHROPIC_BASE_URL: model, ANTHROPIC_API_KEY: KEY }),
  },
  {
    name: 'Codex',
    server: 'openai-model.mjs',
    call: { namespace: 'mcp__slipway', tool: 'run_coding_task', input: TASK },
    file: '.codex/config.toml',
    settings: (url, _token, model) => `model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "${model}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"

[mcp_servers.slipway]
url = "${url}"
bearer_token_env_var = "SLIPWAY_TOKEN"
`,
    argv: [
      'codex',
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      '-m',
      'gpt-5',
      '@delegate',
    ],
    env: (token) => ({ SCRIPTED_KEY: KEY, SLIPWAY_TOKEN: token }),
  },
]

let owner: Client
let agent = ''
let token = ''

beforeAll(async () => {
  owner = await newUser(await signInAdmin())
  agent = (await agentWithModel(owner, INNER)).name
  token = (await owner.apiToken('tasks:read', 'tasks:write')).token
})
afterAll(() => owner.ok('DELETE', `/agents/${agent}`))

describe.each(CLIS)('$name with the tools', ({ server, call, file, settings, argv, env }) => {
  it('runs a task in an agent, and gets its result', async () => {
    const before = await owner.ok<CodingResults>('GET', '/coding-agents/results')
    const script = { '@delegate': [call, { say: 'I delegated it.' }] }
    const machine = await startOutside(inject('namespace'), { server, script })
    try {
      await machine.write(file, settings(`${inject('baseUrl')}/api/mcp`, token, machine.model))
      expect(await machine.run(argv, env(token, machine.model))).toContain('I delegated it.')
      const { items, total } = await owner.ok<CodingResults>('GET', '/coding-agents/results')
      expect(total).toBe(before.total + 1)
      expect(items[0]).toMatchObject({ agent, prompt: TASK.prompt, success: true, output: 'The file is there.' })
      expect(await sh(owner, agent, 'cat made.txt; rm made.txt')).toBe('made\n')
    } finally {
      await machine.remove()
    }
  })
})
