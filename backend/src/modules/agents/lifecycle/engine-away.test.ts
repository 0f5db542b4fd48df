import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EngineProxy } from '@slipway/testing/engine-proxy'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'
import { DockerRuntime } from '../../../runtime/docker/runtime.ts'

const { docker, namespace } = useEngine()
const proxy = new EngineProxy()
const runtime = new DockerRuntime(namespace, { socketPath: proxy.path })
afterAll(async () => {
  await runtime.close()
  await proxy.remove()
})
beforeAll(() => proxy.open())
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const agent = async (name: string) => (await owner(`GET /agents/${name}`)).json<Agent>()
const shown = (name: string, isIt: (agent: Agent) => boolean) =>
  until('the new state', async () => isIt(await agent(name)))

describe('the engine goes away and comes back:', () => {
  it('every agent says so at once, commands fail without a hang, and the truth is back with the engine', async () => {
    await owner('POST /agents?wait=true', newAgent('one'))
    await owner('POST /agents?wait=true', newAgent('two'))
    await proxy.cut()
    await until('the news', async () => (await agent('one')).reason?.code === 'engine_unavailable')
    expect(await agent('one')).toMatchObject({ state: 'failed' })
    expect((await owner('GET /health/ready')).statusCode).toBe(503)

    expect((await owner('POST /agents/one/stop?wait=true')).json()).toMatchObject({
      state: 'failed',
      reason: { code: 'engine_unavailable' },
    })
    expect((await owner('GET /agents/one/logs')).json()).toMatchObject({ code: 'ENGINE_UNAVAILABLE' })
    expect((await owner('GET /agents/one/stats')).json()).toMatchObject({ statusCode: 409 })
    expect((await owner('DELETE /agents/one')).json()).toMatchObject({ statusCode: 503, code: 'ENGINE_UNAVAILABLE' })
    expect((await owner('POST /agents?wait=true', newAgent('three'))).json()).toMatchObject({
      state: 'failed',
      reason: { code: 'engine_unavailable' },
    })

    // Killed without the platform's knowledge.
    await docker.getContainer(`${namespace}-agent-two`).kill()
    await proxy.open()
    await shown('one', ({ state }) => state === 'running')
    expect(await agent('two')).toMatchObject({ state: 'failed', reason: { code: 'exited', exitCode: 137 } })
    expect((await owner('GET /health/ready')).statusCode).toBe(200)
    // A command that failed meanwhile can be repeated.
    expect(await agent('three')).toMatchObject({ state: 'failed', reason: { code: 'engine_unavailable' } })
    expect((await owner('POST /agents/three/start?wait=true')).json()).toMatchObject({ state: 'running' })
    expect((await owner('DELETE /agents/one')).statusCode).toBe(204)
  })

  it('a creation that it interrupts fails visibly, leaves nothing that cannot be retried, and is finished by a start', async () => {
    const created = owner('POST /agents?wait=true', newAgent('cut'))
    await until('the home', async () => {
      const { Volumes } = await docker.listVolumes()
      return Volumes.some(({ Name }) => Name === `${namespace}-agent-cut-home`)
    })
    await proxy.cut()
    expect((await created).json()).toMatchObject({ state: 'failed', reason: { code: 'engine_unavailable' } })
    await proxy.open()
    await shown('cut', ({ reason }) =>
      reason?.code !== 'engine_unavailable' || !runtime.available ? runtime.available : true,
    )
    expect((await owner('POST /agents/cut/start?wait=true')).json()).toMatchObject({ state: 'running', reason: null })
  })
})
