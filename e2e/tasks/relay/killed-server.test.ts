/** The tools of an agent's programs after its server was killed. */
// In the short form relay/hostile.test.ts has a real relay, and the engine’s tests one that ends.
import '@slipway/testing/long'
import type { AgentProcess } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { expect, it, vi } from 'vitest'
import { runIn } from '../../support/engine.ts'
import { useOwnServer } from '../../support/own-server.ts'
import { endedTask, eventsOf, startTask } from '../../support/tasks/follow.ts'
import { agentWithModel, sh } from '../../support/tasks/model.ts'
import { giveTools, relayAnswers, RELAYS } from '../../support/tasks/relay.ts'

vi.setConfig({ testTimeout: 180_000 })

const GATE = '/tmp/may-go-on'
/** The next call is made once the new server is there, which a busy machine takes long to start. */
const SERVER = '/tmp/server-is-back'
const own = useOwnServer()

it('a call is told that its connection is lost, and the next one reaches the new server', async () => {
  const { name: other } = await agentWithModel(own.admin, { '@slow': [{ say: 'It took a while.', gate: GATE }] })
  const { name: agent } = await agentWithModel(own.admin, [
    { tool: 'mcp__slipway__run_coding_task', input: { agent: other, prompt: '@slow' } },
    { tool: 'mcp__slipway__list_task_results', input: {}, gate: SERVER },
    { say: 'I looked for it.' },
  ])
  await giveTools(own.admin, `/agents/${agent}`)
  const { id } = await startTask(own.admin, { agent, prompt: 'Delegate it.' })
  const container = `${own.namespace}-agent-${other}`
  // The other task waits for its model, and the call for the other task.
  await until('the other task', async () => (await runIn(container, ['cat', 'model.log'])).includes(GATE))

  await own.end('SIGKILL')
  await own.start()
  await sh(own.admin, agent, `touch ${SERVER}`)
  const { result } = await endedTask(own.admin, id)
  expect(result).toBe('I looked for it.')
  const told = (await eventsOf(own.admin, id))
    .filter(({ type }) => type === 'tool_result')
    .map((event) => JSON.stringify(event))
  expect(told).toEqual([
    expect.stringContaining('The connection to Slipway was lost.'),
    expect.stringMatching(/is running.*@slow/),
  ])
  await runIn(container, ['touch', GATE])
})

// The test before reaches the new server by a new relay.
longIt('an agent has one relay after each start of its server', async () => {
  const { name: agent } = await own.admin.agent()
  const relays = (): Promise<string> => sh(own.admin, agent, RELAYS)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    await relayAnswers(own.admin, agent)
    await own.end(signal)
    await own.start()
  }
  await relayAnswers(own.admin, agent)
  await until('the relays of earlier servers to be gone', async () => (await relays()) === '1\n')
  // It is no process that was left, and it survives a restart of its agent.
  const left = async () => (await own.admin.ok<{ items: AgentProcess[] }>('GET', `/agents/${agent}/processes`)).items
  await until('no process that was left', async () => (await left()).length === 0)
  await own.admin.ok('POST', `/agents/${agent}/restart?wait=true`)
  await relayAnswers(own.admin, agent)
})
