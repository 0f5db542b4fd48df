/** The real Claude Code in the system agent runs a task in another agent, and a user allows it in the terminal. */
// In the short form `clis.test.ts` has Claude Code in another agent, and `backend/src/modules/agents/system/system-agent.test.ts` the
// agent and who may use it.
import '@slipway/testing/long'
import type { AuditEvent, CodingResults } from '@slipway/protocol'
import { disconnectAll } from '@slipway/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { useOwnServer } from '../../support/own-server.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { giveTools } from '../../support/tasks/relay.ts'
import { giveSystemAgentModel, openSystemClaude, shInSystem } from '../../support/tasks/system-agent.ts'
import { prompt } from '../../support/tasks/terminal.ts'
import { Emulated } from '../../support/terminal/emulated.ts'

vi.setConfig({ testTimeout: 240_000 })

/** The model waits for this file before it calls the tool. */
const GATE = '/tmp/may-call'
const own = useOwnServer()
afterEach(disconnectAll)

it('Claude Code in the system agent runs a task in another agent, and reads its result', async () => {
  const { admin } = own
  const { name: agent } = await agentWithModel(admin, {
    '@make': [
      { tool: 'Write', input: { file_path: '/home/developer/made.txt', content: 'made\n' } },
      { say: 'The file is there.' },
    ],
  })
  await giveSystemAgentModel(admin, {
    '@delegate': [
      {
        tool: 'mcp__slipway__run_coding_task',
        input: { agent, provider: 'claude-code', prompt: '@make a file' },
        gate: GATE,
      },
      { say: 'I delegated it.' },
    ],
  })
  await giveTools(admin, '/system-agent')

  const terminal = await openSystemClaude(admin)
  const screen = new Emulated(terminal)
  // `prompt` may press Enter again. Only once the model has been asked may the dialog come, which Enter would answer.
  await prompt(terminal, screen, { text: '@delegate', answer: 'esc to interrupt' })
  await shInSystem(admin, 'touch "$1"', GATE)
  await screen.shows(/Do you want to proceed\?/)
  // Nothing was started before its user allowed it.
  expect(await admin.ok<CodingResults>('GET', '/coding-agents/results')).toMatchObject({ total: 0 })
  terminal.type('\r')
  await screen.shows(/I delegated it\./)

  const { items } = await admin.ok<CodingResults>('GET', '/coding-agents/results')
  expect(items).toMatchObject([{ agent, prompt: '@make a file', success: true, output: 'The file is there.' }])
  expect(await sh(admin, agent, 'cat made.txt')).toBe('made\n')
  const { items: acts } = await admin.ok<{ items: AuditEvent[] }>('GET', '/audit?action=task.started')
  expect(acts).toMatchObject([
    { actor: { email: admin.email, via: 'api_token', address: 'agent system' }, target: { name: agent } },
  ])
  await terminal.disconnect()
})
