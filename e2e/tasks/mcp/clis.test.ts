/** Real coding CLIs outside of the platform hand a task to an agent, with the tools for other AIs. */
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
  /** A port of this machine that nothing else of the tests uses. */
  readonly port: number
  readonly call: Step
  /** The file that configures the tools, and how the CLI is started. */
  readonly file: string
  settings(url: string, token: string): string
  readonly argv: readonly string[]
  env(token: string): Readonly<Record<string, string>>
}

const CLIS: readonly Cli[] = [
  {
    name: 'Claude Code',
    server: 'scripted-model.mjs',
    port: 19_433,
    call: { tool: 'mcp__slipway__run_coding_task', input: TASK },
    file: 'servers.json',
    settings: (url, token) =>
      JSON.stringify({ mcpServers: { slipway: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } } } }),
    argv: ['claude', '-p', '@delegate', '--mcp-config=servers.json', '--dangerously-skip-permissions'],
    env: () => ({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:19433', ANTHROPIC_API_KEY: KEY }),
  },
  {
    name: 'Codex',
    server: 'openai-model.mjs',
    port: 19_434,
    call: { namespace: 'mcp__slipway', tool: 'run_coding_task', input: TASK },
    file: '.codex/config.toml',
    settings: (url) => `model_provider = "scripted"

[model_providers.scripted]
name = "Scripted"
base_url = "http://127.0.0.1:19434/v1"
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

describe.each(CLIS)('$name with the tools', ({ server, port, call, file, settings, argv, env }) => {
  it('runs a task in an agent, and gets its result', async () => {
    const before = await owner.ok<CodingResults>('GET', '/coding-agents/results')
    const script = { '@delegate': [call, { say: 'I delegated it.' }] }
    const machine = await startOutside(inject('namespace'), { server, port, script })
    try {
      await machine.write(file, settings(`${inject('baseUrl')}/api/mcp`, token))
      expect(await machine.run(argv, env(token))).toContain('I delegated it.')
      const { items, total } = await owner.ok<CodingResults>('GET', '/coding-agents/results')
      expect(total).toBe(before.total + 1)
      expect(items[0]).toMatchObject({ agent, prompt: TASK.prompt, success: true, output: 'The file is there.' })
      expect(await sh(owner, agent, 'cat made.txt; rm made.txt')).toBe('made\n')
    } finally {
      await machine.remove()
    }
  })
})
