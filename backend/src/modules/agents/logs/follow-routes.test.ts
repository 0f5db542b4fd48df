import type { Agent, CreateAgent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { GREEDY, TAKES_CONTAINER } from '../../../../test/support/engine/greedy.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

/** Longest time until an agent's state shows a change of its container, in milliseconds. */
const SHOWN_WITHIN_MS = 10_000

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const create = (name: string, change: Partial<CreateAgent> = {}) =>
  owner('POST /agents?wait=true', newAgent(name, change))
const containerOf = (name: string) => docker.getContainer(`${namespace}-agent-${name}`)
const shown = (name: string, isIt: (agent: Agent) => boolean) =>
  until(
    'the new state',
    async () => {
      const agent = (await owner(`GET /agents/${name}`)).json<Agent>()
      return isIt(agent) ? agent : null
    },
    SHOWN_WITHIN_MS,
  )

describe('what happens to a container from outside shows', () => {
  it('when it is killed, and it can be started again', async () => {
    await create('killed')
    await containerOf('killed').kill()
    const agent = await shown('killed', ({ state }) => state === 'failed')
    expect(agent.reason).toMatchObject({ code: 'exited', exitCode: 137 })
    expect((await owner('POST /agents/killed/start?wait=true')).json()).toMatchObject({
      state: 'running',
      reason: null,
    })
  })

  // The test before has another end from outside.
  longIt('when it is stopped, which is no failure, and started', async () => {
    await create('halted')
    await containerOf('halted').stop({ t: 5 })
    const agent = await shown('halted', ({ state }) => state === 'stopped')
    expect(agent.reason).toMatchObject({ code: 'exited', exitCode: 143 })
    await containerOf('halted').start()
    expect((await shown('halted', ({ state }) => state === 'running')).reason).toBeNull()
  })

  // The first test has a container that is killed, and is started again.
  longIt('when it is removed, running or not, and a start makes it anew with its home', async () => {
    await create('removed')
    const { Id } = await containerOf('removed').inspect()
    const options = { argv: ['sh', '-c', 'echo kept > ~/file'], timeoutMs: 60_000, maxOutputBytes: 0 }
    await runtime.run(Id, options)
    await containerOf('removed').remove({ force: true })
    await shown('removed', ({ state, reason }) => state === 'failed' && reason?.code === 'removed')
    await owner('POST /agents/removed/start?wait=true')
    const anew = await containerOf('removed').inspect()
    const { stdout } = await runtime.run(anew.Id, { ...options, argv: ['cat', 'file'], maxOutputBytes: 10 })
    expect(stdout.toString()).toBe('kept\n')

    await owner('POST /agents/removed/stop?wait=true')
    await containerOf('removed').remove()
    await shown('removed', ({ state, reason }) => state === 'failed' && reason?.code === 'removed')
  })
})

describe('container or its child out of memory:', () => {
  it('a container that was ended for it shows that, also on an engine that does not tell', async () => {
    await create('starved', { memoryMb: 64 })
    const { Id } = await containerOf('starved').inspect()
    const ended = runtime.run(Id, { argv: TAKES_CONTAINER, timeoutMs: 60_000, maxOutputBytes: 0 })
    await ended.catch(() => undefined)
    const agent = await shown('starved', ({ reason }) => reason?.code === 'out_of_memory')
    expect(agent).toMatchObject({ state: 'failed', reason: { exitCode: 137 } })
    // The start resets the memory kill, so a kill from outside now does not say memory again.
    await owner('POST /agents/starved/start?wait=true')
    await containerOf('starved').kill()
    await shown('starved', ({ reason }) => reason?.code === 'exited' && reason.exitCode === 137)
  })

  it('a program that was ended for it leaves the agent running', async () => {
    await create('hungry')
    const { Id } = await containerOf('hungry').inspect()
    const options = { argv: GREEDY, timeoutMs: 60_000, maxOutputBytes: 0 }
    expect((await runtime.run(Id, options)).exitCode).toBe(137)
    expect((await owner('GET /agents/hungry')).json()).toMatchObject({ state: 'running' })
  })
})
