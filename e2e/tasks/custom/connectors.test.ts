/** The connectors of a custom provider, whose program finds them in a file. */
// In the short form `backend/src/modules/providers/headless/custom/program.test.ts` has the file in a template, and `../connectors.test.ts`
// the connectors of Claude Code.
import '@slipway/testing/long'
import type { CodingAgentStatus, CodingSession } from '@slipway/protocol'
import { expect, it } from 'vitest'
import { newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { sh } from '../../support/tasks/model.ts'
import { stubProvider } from '../../support/tasks/stub.ts'

const TOKEN = 'token-of-the-tracker-4714'
/** Prints its arguments, and the mode and the content of the file that is the second one. */
const SHOW = 'printf "%s\\n" "$@"; [ ! -e "$2" ] || { stat -L -c %a "$2"; cat "$2"; cp "$2" copy.json; }'

it('a custom provider gets connectors where its template names their file, and the API tells whether it does', async () => {
  const owner = await newUser(await signInAdmin())
  const { name: agent } = await owner.agent()
  const cli = { binary: 'sh', default_args: ['-c', SHOW, 'sh'], prompt_via: 'argument', output_format: 'text' }
  const { name } = await stubProvider(owner, { ...cli, prompt_template: '{prompt} --mcp {mcp_config}' })
  const other = await stubProvider(owner, cli)
  const run = async (provider: string): Promise<CodingSession> =>
    endedTask(owner, (await startTask(owner, { agent, provider: `custom:${provider}`, prompt: '{mcp_config}' })).id)

  const statuses = await owner.ok<CodingAgentStatus[]>('GET', `/coding-agents/status?agent=${agent}`)
  const takes = new Map(statuses.map(({ provider, takesConnectors }) => [provider, takesConnectors]))
  expect([`custom:${name}`, `custom:${other.name}`, 'gemini-cli', 'cursor-agent'].map((id) => takes.get(id))).toEqual([
    ...[true, false, true, false],
  ])

  // The platform's own tools are always there.
  const slipway = { type: 'stdio', command: '/usr/local/bin/slipway-tools', args: [], env: {} }
  expect((await run(name)).result).toMatch(/^\{mcp_config\}\n--mcp\n\/proc\/\d+\/fd\/5$/)
  await owner.ok('PUT', `/agents/${agent}/connectors/tracker`, {
    ...{ kind: 'http', url: 'https://x.example/', oauthToken: TOKEN },
  })
  expect((await run(other.name)).result).toBe('{mcp_config}')

  await owner.ok('PUT', `/cli-providers/${other.id}`, { prompt_template: '{prompt} {mcp_config}' })
  const { result, state } = await run(other.name)
  const [prompt, path, mode, file = ''] = (result ?? '').split('\n')
  expect([state, prompt, mode]).toEqual(['completed', '{mcp_config}', '600'])
  expect(path).toMatch(/^\/proc\/\d+\/fd\/5$/)
  const served = (token: string) => ({
    mcpServers: {
      slipway,
      tracker: { type: 'http', url: 'https://x.example/', headers: { Authorization: `Bearer ${token}` } },
    },
  })
  expect(JSON.parse(file)).toEqual(served('***'))
  expect(JSON.parse(await sh(owner, agent, 'cat copy.json; rm copy.json'))).toEqual(served(TOKEN))
  expect(await sh(owner, agent, `grep -rl ${TOKEN} ~ /tmp 2>/dev/null; true`)).toBe('')
})
