/** A task outlives its server: nothing of it is lost, and nothing comes twice. */
import type { UsageReport } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { expect, it } from 'vitest'
import { docker, runIn } from '../support/engine.ts'
import { useOwnServer } from '../support/own-server.ts'
import { endedTask, eventsOf, openEvents, startTask, taskOf } from '../support/tasks/follow.ts'
import { agentWithModel } from '../support/tasks/model.ts'

const GATE = '/tmp/may-go-on'
const LOG = '/home/developer/log.txt'

const own = useOwnServer()

it('a task of Claude Code goes on while its server is killed, and ends once with all of its events', async () => {
  const agent = await agentWithModel(own.admin, [
    { say: 'First I write.', tool: 'Bash', input: { command: `echo one >> ${LOG}`, description: 'Write a line' } },
    { tool: 'Bash', input: { command: `echo two >> ${LOG}`, description: 'Write another' }, gate: GATE },
    { say: 'All done.' },
  ])
  const page = await openEvents(own.admin)
  const { id, state, agent: name } = await startTask(own.admin, { agent: agent.name, prompt: '- write two lines' })
  expect([state, name]).toEqual(['running', agent.name])
  page.subscribe(id, 0)
  await until('the first command to end', () =>
    page.events(id).some((event) => event.type === 'command' && event.state === 'ended'),
  )
  expect(page.received).toContainEqual(
    expect.objectContaining({ type: 'coding-agent:session:created', session: expect.objectContaining({ id }) }),
  )
  const seen = page.events(id)

  await own.end('SIGKILL')
  // The model answers and the second command runs while there is no server.
  const container = `${own.namespace}-agent-${agent.name}`
  await runIn(container, ['touch', GATE])
  await until('the second command', async () => (await runIn(container, ['cat', LOG])) === 'one\ntwo\n')
  await own.start()
  const again = own.admin

  expect(await endedTask(again, id)).toMatchObject({
    state: 'completed',
    reason: 'completed',
    error: null,
    exitCode: 0,
    result: 'All done.',
  })
  const all = await eventsOf(again, id)
  expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
  expect(all.slice(0, seen.length)).toEqual(seen)
  expect(await eventsOf(again, id, seen.length)).toEqual(all.slice(seen.length))
  const commands = all.flatMap((event) => (event.type === 'command' && event.state === 'ended' ? [event.command] : []))
  expect(commands).toEqual([`echo one >> ${LOG}`, `echo two >> ${LOG}`])
  expect(all.filter(({ type }) => type === 'result')).toHaveLength(1)
  expect(await runIn(container, ['cat', LOG])).toBe('one\ntwo\n')
  // Each of the model's three answers has one token of input.
  const { items } = await again.ok<UsageReport>('GET', '/coding-agents/usage?group=run')
  expect(items.filter(({ key }) => key === id)).toMatchObject([{ runs: 1, inputTokens: 3, runsWithoutCost: 0 }])
  page.close()
})

// `backend/test/faults/tasks.test.ts` kills and replaces servers at every step; `custom/server.test.ts` continues a
// task, too.
longIt(
  'a task of an API token stays active over a restart of its server in order, and over a second server that is killed',
  async () => {
    const agent = await agentWithModel(own.admin, [
      { say: 'I begin.', tool: 'Bash', input: { command: 'echo begun', description: 'Begin' } },
      { say: 'All done.', gate: GATE },
    ])
    const container = `${own.namespace}-agent-${agent.name}`
    // A program's token may run tasks, and open no terminal.
    const { token } = await own.admin.apiToken('tasks:read', 'tasks:write')
    const program = own.admin.with(token)
    const { id } = await startTask(program, { agent: agent.name, prompt: 'begin' })
    const lastSeq = async (): Promise<number> => (await taskOf(own.admin, id)).lastSeq
    await until('the command', async () => (await lastSeq()) >= 3)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await own.end(signal)
      await own.start()
      await until('the task to be taken up', async () => (await lastSeq()) >= 3)
      expect(await taskOf(own.admin, id)).toMatchObject({ state: 'running', reason: null })
    }
    await runIn(container, ['touch', GATE])
    expect(await endedTask(own.admin, id)).toMatchObject({ reason: 'completed', result: 'All done.' })
    const all = await eventsOf(own.admin, id)
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, index) => index + 1))
    expect(all.filter((event) => event.type === 'command' && event.state === 'ended')).toHaveLength(1)
  },
)

it('a task whose container dies while there is no server keeps what it has used', async () => {
  const { name } = await agentWithModel(own.admin, [
    { say: 'I begin.', tool: 'Bash', input: { command: 'echo begun', description: 'Begin' } },
    { say: 'Too late.', gate: '/tmp/never' },
  ])
  const { id } = await startTask(own.admin, { agent: name, prompt: 'begin' })
  await until('the command', async () => (await taskOf(own.admin, id)).lastSeq >= 3)
  await own.end('SIGKILL')
  await docker.getContainer(`${own.namespace}-agent-${name}`).kill()
  await own.start()
  const again = own.admin
  const task = await endedTask(again, id)
  expect(task).toMatchObject({ state: 'failed', reason: 'container_stopped', costEstimated: true })
  const { items } = await again.ok<UsageReport>('GET', '/coding-agents/usage?group=run')
  // Claude printed no result, so its message counts.
  expect(items.filter(({ key }) => key === id)).toMatchObject([{ inputTokens: 1, costUsd: task.costUsd }])
})
