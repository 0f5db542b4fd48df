/** The connectors of tasks, with the real CLIs and a small MCP server in the agent. */
import { readFileSync } from 'node:fs'
import type { CodingSession, Connector } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../support/api.ts'
import { endedTask, eventsOf, refusalOf, startTask } from '../support/tasks/follow.ts'
import { agentWithModel, type Runtime, type Script, sh, type Step } from '../support/tasks/model.ts'

const PORT = 9500
const SERVER = readFileSync(new URL('../support/agent/mcp-server.mjs', import.meta.url))
const TOKEN = 'token-of-the-tracker-4711'
// Some CLIs replace variables in their settings.
const HEADER = 'header-$HOME-of-the-tracker-4712'
const LOCAL = 'secret-\\$HOME-of-$NOTHING-the-program-4713'

/** Lists what is left of the files in which Gemini gets its servers. */
const LEFT_IN_MEMORY = 'ls /dev | grep slipway; true'

interface Cli {
  readonly runtime: Runtime
  /** The step with which its model counts letters with a connector. */
  counts(connector: string, word: string): Step
}

const CLAUDE: Cli = {
  runtime: 'claude-code',
  counts: (name, word) => ({ tool: `mcp__${name}__count`, input: { word } }),
}
const GEMINI: Cli = { runtime: 'gemini-cli', counts: (name, word) => ({ tool: `mcp_${name}_count`, input: { word } }) }
/** In the short form Claude Code. `backend/src/modules/providers/headless/mcp` has how each of the others gets its servers. */
const CLIS: readonly Cli[] = [
  CLAUDE,
  ...inLongForm<Cli>([
    {
      runtime: 'codex',
      counts: (name, word) => ({ namespace: `mcp__${name}`, tool: 'count', input: { word } }),
    },
    GEMINI,
    { runtime: 'copilot', counts: (name, word) => ({ tool: `${name}-count`, input: { word } }) },
    { runtime: 'opencode', counts: (name, word) => ({ tool: `${name}_count`, input: { word } }) },
  ]),
]

let admin: Client
let owner: Client

beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
})

const scriptFor = ({ counts }: Cli): Script => ({
  '@far': [counts('tracker', 'seven'), { say: 'I counted.' }],
  '@near': [counts('local', 'reveal'), { say: 'I counted.' }],
})

/** An agent whose CLI answers as this script says, with a running MCP server. */
const agentFor = async (cli: Cli): Promise<string> => {
  const { name } = await agentWithModel(owner, scriptFor(cli), cli.runtime)
  await owner.upload(name, 'mcp-server.mjs', SERVER)
  // It has begun a session of its own before the script ends.
  const start = `: >http.log; setsid node mcp-server.mjs http http.log ${PORT} >mcp.out 2>&1 & n=0
    until curl -s -o mcp.up http://127.0.0.1:${PORT}/; do n=$((n+1)); [ $n -lt 200 ] || exit 1; sleep 0.1; done`
  await sh(owner, name, start)
  return name
}

const run = async (agent: string, prompt: string, cwd = '/home/developer'): Promise<CodingSession> =>
  endedTask(owner, (await startTask(owner, { agent, prompt, cwd })).id)

const setTracker = (): Promise<Connector> =>
  owner.ok<Connector>('PUT', '/users/me/connectors/tracker', {
    kind: 'http',
    url: `http://127.0.0.1:${PORT}/mcp`,
    headers: { 'X-Token': 'key ${secret:KEY}' },
    oauthToken: TOKEN,
    secrets: { KEY: HEADER },
  })

/** The tokens that the MCP server got with calls of its tool. */
const tokensIn = async (agent: string, log: string): Promise<string[]> =>
  (await sh(owner, agent, `cat ${log}`))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { method: string; token?: string })
    .flatMap(({ method, token }) => (method === 'tools/call' ? [token ?? ''] : []))

describe.each(CLIS)('a task of $runtime', (cli) => {
  let agent = ''

  beforeAll(async () => {
    agent = await agentFor(cli)
    await setTracker()
    await owner.ok<Connector>('PUT', `/agents/${agent}/connectors/local`, {
      kind: 'stdio',
      command: 'node',
      args: ['/home/developer/mcp-server.mjs', 'stdio', '/home/developer/stdio.log'],
      env: { COUNTER_TOKEN: '${secret:TOKEN}' },
      secrets: { TOKEN: LOCAL },
    })
  })

  it('uses the user’s connector over HTTP, with its token and its secret, and keeps neither', async () => {
    const task = await run(agent, '@far')
    expect(task).toMatchObject({ state: 'completed', reason: 'completed', result: 'I counted.' })
    expect(await tokensIn(agent, 'http.log')).toEqual([`Bearer ${TOKEN} key ${HEADER}`])
    const events = await eventsOf(owner, task.id)
    expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(1)
    expect(JSON.stringify(events.filter(({ type }) => type === 'tool_result'))).toContain('seven has 5 letters')
    // The task had a secret of its user, so no API token sees it.
    const token = owner.with((await owner.apiToken('tasks:read')).token)
    expect(await refusalOf(token, 'GET', `/coding-agents/sessions/${task.id}`)).toEqual([403, 'PERSONAL_CREDENTIAL'])
    const left = `grep -rlE 'of-the-tracker-471' ~ /tmp 2>/dev/null | grep -v http.log; true`
    expect(await sh(owner, agent, left)).toBe('')
    await until('no file in memory to be left', async () => (await sh(owner, agent, LEFT_IN_MEMORY)) === '')
  })

  it('uses the agent’s connector, a program, whose secret is masked where it tells it', async () => {
    const task = await run(agent, '@near')
    expect(task).toMatchObject({ state: 'completed', reason: 'completed', result: 'I counted.' })
    expect(await tokensIn(agent, 'stdio.log')).toEqual([LOCAL])
    const events = await eventsOf(owner, task.id)
    expect(JSON.stringify(events.filter(({ type }) => type === 'tool_result'))).toContain(
      'reveal has 6 letters, says ***',
    )
    expect(JSON.stringify(events)).not.toContain(LOCAL)
  })
})

describe('a folder that brings servers of its own to Gemini', () => {
  /** It has a server, which leaves a mark when it starts. */
  const CLONE = `mkdir -p clone/.gemini && cd clone && git init -q && cat >.gemini/settings.json <<'end'
{"mcpServers": {"theirs": {"command": "touch", "args": ["/home/developer/theirs.ran"]}}}
end
cat .gemini/settings.json`
  const LOOK = 'ls theirs.ran 2>/dev/null; git -C clone status --porcelain -uall; cat clone/.gemini/settings.json'
  const TRUST = `echo '{"/home/developer/clone": "TRUST_FOLDER"}' >.gemini/trustedFolders.json`
  const THEIRS = '?? .gemini/settings.json\n'

  it('gets no connector and starts none of its own before a user trusts it, and both after', async () => {
    const agent = await agentFor(GEMINI)
    await setTracker()
    const settings = await sh(owner, agent, CLONE)
    expect(await run(agent, '@far', 'clone')).toMatchObject({ state: 'failed' })
    expect(await tokensIn(agent, 'http.log')).toEqual([])
    expect(await sh(owner, agent, LOOK)).toBe(`${THEIRS}${settings}`)

    await sh(owner, agent, TRUST)
    expect(await run(agent, '@far', 'clone')).toMatchObject({ state: 'completed', result: 'I counted.' })
    expect(await tokensIn(agent, 'http.log')).toEqual([`Bearer ${TOKEN} key ${HEADER}`])
    expect(await sh(owner, agent, LOOK)).toBe(`theirs.ran\n${THEIRS}${settings}`)
  })
})
