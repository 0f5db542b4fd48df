/** The real CLIs ask people with the tools of their agent, which has no API token. */
import type { AgentShown, Dialog } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { inLongForm } from '@slipway/testing/forms'
import { beforeAll, expect, it } from 'vitest'
import { type Client, newUser, signInAdmin } from '../../support/api.ts'
import { ASKED_MS, endedTask, eventsOf, startTask, taskOf } from '../../support/tasks/follow.ts'
import { agentWithModel, type Runtime, type Step } from '../../support/tasks/model.ts'

interface Cli {
  readonly runtime: Runtime
  /** The step with which its model calls a tool. */
  calls(tool: string, input: object): Step
}

const CLIS: readonly Cli[] = [
  { runtime: 'claude-code', calls: (tool, input) => ({ tool: `mcp__slipway__${tool}`, input }) },
  ...inLongForm<Cli>([
    { runtime: 'codex', calls: (tool, input) => ({ namespace: 'mcp__slipway', tool, input }) },
    { runtime: 'copilot', calls: (tool, input) => ({ tool: `slipway-${tool}`, input }) },
    { runtime: 'opencode', calls: (tool, input) => ({ tool: `slipway_${tool}`, input }) },
  ]),
]

let owner: Client
beforeAll(async () => {
  owner = await newUser(await signInAdmin())
})

it.each(CLIS)('a task of $runtime asks a person, and reads the answer', async ({ runtime, calls }) => {
  const select = { title: 'Which colour?', options: [{ value: 'red' }, { value: 'blue', label: 'A cold one' }] }
  const { name: agent } = await agentWithModel(
    owner,
    [calls('ask_select', select), calls('notify', { message: 'I know it.' }), { say: 'Thank you.' }],
    runtime,
  )
  // Only Claude Code would ask for permission, and it need not for these tools.
  if (runtime === 'claude-code') await owner.ok('PATCH', `/agents/${agent}`, { skipPermissions: false })
  const { id } = await startTask(owner, { agent, prompt: 'Ask.' })
  const dialog = await until(
    'the question',
    async () => (await owner.ok<Dialog[]>('GET', `/dialogs?state=open&session=${id}`))[0] ?? false,
    ASKED_MS,
  )
  expect(dialog).toMatchObject({
    ...{ agent, sessionId: id, userId: owner.userId, title: select.title, folder: '/home/developer' },
    question: { kind: 'select', options: [{ label: 'red' }, { value: 'blue', label: 'A cold one' }] },
  })
  await until('the task to wait', async () => (await taskOf(owner, id)).waitsFor === 'person')
  await owner.ok('POST', `/dialogs/${dialog.id}/answer`, { value: 'blue' })
  expect(await endedTask(owner, id)).toMatchObject({ reason: 'completed', result: 'Thank you.' })
  const events = await eventsOf(owner, id)
  expect(JSON.stringify(events.filter(({ type }) => type === 'tool_result'))).toContain('blue')
  expect(events.filter(({ type }) => type === 'question' || type === 'answer')).toMatchObject([
    { type: 'question', requestId: dialog.requestId, title: select.title },
    { type: 'answer', requestId: dialog.requestId, by: owner.email },
  ])
  expect(events).toContainEqual(expect.objectContaining({ type: 'status', status: 'notice', message: 'I know it.' }))
  expect(await owner.ok<AgentShown>('GET', `/agents/${agent}/shown`)).toMatchObject({
    notices: [{ message: 'I know it.', sessionId: id }],
  })
  await owner.ok('DELETE', `/agents/${agent}`)
})

/** Over the protocol with people a CLI first asks whether it may use the tools. It takes them from its own settings. */
const WITH_PEOPLE = inLongForm<Cli>([
  { runtime: 'gemini-cli', calls: (tool, input) => ({ tool: `mcp_slipway_${tool}`, input }) },
  { runtime: 'copilot', calls: (tool, input) => ({ tool: `slipway-${tool}`, input }) },
  { runtime: 'opencode', calls: (tool, input) => ({ tool: `slipway_${tool}`, input }) },
])

it.each(WITH_PEOPLE)('a task of $runtime with the policy ask asks a person with its own tools', async (cli) => {
  const script = [cli.calls('ask_confirm', { title: 'Deploy?' }), { say: 'I know it.' }]
  const { name: agent } = await agentWithModel(owner, script, cli.runtime)
  const { id } = await startTask(owner, { agent, prompt: 'Ask.', policy: 'ask' })
  /** Allows what the CLI asks for, until its model asks. */
  const question = async (): Promise<Dialog | false> => {
    const open = await owner.ok<Dialog[]>('GET', `/dialogs?state=open&session=${id}`)
    const own = open.find(({ question: { kind } }) => kind === 'confirm')
    if (own) return own
    for (const { id: permission } of open)
      await owner.call('POST', `/dialogs/${permission}/answer`, { decision: 'allow' })
    return false
  }
  const dialog = await until('the question of the model', question, ASKED_MS)
  expect(dialog).toMatchObject({ agent, sessionId: id, title: 'Deploy?' })
  await owner.ok('POST', `/dialogs/${dialog.id}/answer`, { value: true })
  // Gemini does not exit while it has MCP servers, and is ended.
  expect(await endedTask(owner, id)).toMatchObject({ state: 'completed', result: 'I know it.' })
  const events = await eventsOf(owner, id)
  expect(JSON.stringify(events.filter(({ type }) => type === 'tool_result'))).toContain('yes')
  await owner.ok('DELETE', `/agents/${agent}`)
})
