/** The real CLIs in tasks use the tools of their agent, in the name of its owner. */
import type { AuditEvent, CodingResults } from '@slipway/protocol'
import { inLongForm } from '@slipway/testing/forms'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { endedTask, eventsOf, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh, type Step } from '../../support/tasks/model.ts'
import { askRelay, giveTools, relayAnswers } from '../../support/tasks/relay.ts'

interface Cli {
  readonly runtime: Runtime
  /** The step with which its model calls a tool. */
  calls(tool: string, input: object): Step
}

/** In the short form, Claude Code shows it for all: `connectors.test.ts` has what is different in the others. */
const CLIS: readonly Cli[] = [
  { runtime: 'claude-code', calls: (tool, input) => ({ tool: `mcp__slipway__${tool}`, input }) },
  ...inLongForm<Cli>([
    { runtime: 'codex', calls: (tool, input) => ({ namespace: 'mcp__slipway', tool, input }) },
    { runtime: 'copilot', calls: (tool, input) => ({ tool: `slipway-${tool}`, input }) },
    { runtime: 'opencode', calls: (tool, input) => ({ tool: `slipway_${tool}`, input }) },
  ]),
]

let admin: Client
let owner: Client
let other = ''
beforeAll(async () => {
  admin = await signInAdmin()
  owner = await newUser(admin)
  const script = {
    '@make': [
      { tool: 'Write', input: { file_path: '/home/developer/made.txt', content: 'made\n' } },
      { say: 'The file is there.' },
    ],
  }
  other = (await agentWithModel(owner, script)).name
})
afterAll(() => owner.ok('DELETE', `/agents/${other}`))

describe.each(CLIS)('a task of $runtime', ({ runtime, calls }) => {
  it('runs a task in another agent and reads its result, once its agent has the tools', async () => {
    const task = { agent: other, provider: 'claude-code', prompt: `@make for ${runtime}` }
    const script = { '@delegate': [calls('run_coding_task', task), { say: 'I delegated it.' }] }
    const { name: agent } = await agentWithModel(owner, script, runtime)
    await relayAnswers(owner, agent)
    // An agent without the right has only what needs none.
    expect(await askRelay(owner, agent)).not.toContain('run_coding_task')
    const tokenId = await giveTools(owner, `/agents/${agent}`)
    const { id, result } = await endedTask(owner, (await startTask(owner, { agent, prompt: '@delegate' })).id)
    expect(result).toBe('I delegated it.')
    const results = (await eventsOf(owner, id)).filter(({ type }) => type === 'tool_result')
    expect(JSON.stringify(results)).toContain('The file is there.')
    const { items } = await owner.ok<CodingResults>('GET', `/coding-agents/results?agent=${other}&limit=1`)
    expect(items).toMatchObject([{ agent: other, prompt: task.prompt, success: true }])
    expect(await sh(owner, other, 'cat made.txt; rm made.txt')).toBe('made\n')
    const query = new URLSearchParams({ action: 'task.started', target: other, actor: owner.email })
    const acts = await admin.ok<{ items: AuditEvent[] }>('GET', `/audit?${query}`)
    expect(acts.items[0]?.actor).toEqual({
      id: owner.userId,
      email: owner.email,
      via: 'api_token',
      viaId: tokenId,
      address: `agent ${agent}`,
    })
    // Nothing of the token is in the agent.
    expect(await sh(owner, agent, 'grep -rls slp_ ~ /tmp || true')).toBe('')
    await owner.ok('DELETE', `/agents/${agent}`)
  })
})
