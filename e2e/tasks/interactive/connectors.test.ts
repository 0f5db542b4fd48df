/** Connectors in terminals, with the real CLIs and a small MCP server that they start. */
import { readFileSync } from 'node:fs'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, expect, it, vi } from 'vitest'
import { type Client, signInAdmin } from '../../support/api.ts'
import { endedTask, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, sh, type Step } from '../../support/tasks/model.ts'
import { screenOfTask } from '../../support/tasks/terminal.ts'

vi.setConfig({ testTimeout: 240_000 })

/** Longest time until an interface has answered, on a busy machine, in milliseconds. */
const ANSWER_MS = 120_000
const SERVER = readFileSync(new URL('../../support/agent/mcp-server.mjs', import.meta.url))
const LOG = '/home/developer/stdio.log'
const SECRET = 'secret-of-the-program-4715'

let admin: Client
beforeAll(async () => {
  admin = await signInAdmin()
})

it.each<[Runtime, Step]>([
  ['claude-code', { tool: 'mcp__local__count' }],
  // `backend/src/modules/providers/headless/codex/servers.test.ts` and `mcp` beside it have how the others get them.
  ...inLongForm<[Runtime, Step]>([
    ['codex', { namespace: 'mcp__local', tool: 'count' }],
    ['copilot', { tool: 'local-count' }],
  ]),
])('the terminal of %s has the connectors of its user, for its session alone', async (runtime, call) => {
  const script = [{ ...call, input: { word: 'seven' } }, { say: 'Counted it' }]
  const { name: agent } = await agentWithModel(admin, script, runtime)
  await admin.upload(agent, 'mcp-server.mjs', SERVER)
  await admin.ok('PUT', `/agents/${agent}/connectors/local`, {
    kind: 'stdio',
    command: 'node',
    args: ['/home/developer/mcp-server.mjs', 'stdio', LOG],
    env: { COUNTER_TOKEN: '${secret:TOKEN}' },
    secrets: { TOKEN: SECRET },
  })
  const { id } = await startTask(admin, { agent, mode: 'interactive', prompt: 'How many letters has seven?' })
  let isAsked = false
  const look = async (): Promise<boolean> => {
    const screen = await screenOfTask(admin, id)
    // In a terminal there is a user for Copilot to ask.
    if (!isAsked && screen.includes('Do you want to use this tool?')) {
      isAsked = true
      await admin.ok('POST', `/coding-agents/sessions/${id}/input`, { data: '\r' })
    }
    return screen.includes('Counted it')
  }
  await until('the screen to show the answer', look, ANSWER_MS).catch(async (error: unknown) => {
    throw new Error(`it shows\n${await screenOfTask(admin, id)}`, { cause: error })
  })
  const calls = await sh(admin, agent, `grep tools/call ${LOG}; rm ${LOG}`)
  expect(
    calls
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([{ method: 'tools/call', token: SECRET }])
  await admin.ok('DELETE', `/coding-agents/sessions/${id}`)
  await endedTask(admin, id)
  expect(await sh(admin, agent, `grep -rl ${SECRET} ~ /tmp 2>/dev/null; true`)).toBe('')
})
