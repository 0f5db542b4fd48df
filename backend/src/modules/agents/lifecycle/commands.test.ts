import type { Agent } from '@slipway/protocol'
import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { as, newAgent, useTeam } from '../../../../test/support/people/team.ts'

const { docker, runtime, namespace } = useEngine()
const team = useTeam({ runtime, config: { namespace, images: [IMAGE] } })
const owner = (...request: Parameters<ReturnType<typeof as>>) => as(team(), team().owner)(...request)
const create = async (name: string) => (await owner('POST /agents?wait=true', newAgent(name))).json<Agent>()
const inspect = (name: string) => docker.getContainer(`${namespace}-agent-${name}`).inspect()
const leftOf = async (name: string) => {
  const containers = (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names)
  const volumes = (await docker.listVolumes()).Volumes.map(({ Name }) => Name)
  return [...containers, ...volumes].filter((one) => one.includes(`${namespace}-agent-${name}`))
}

describe('commands', () => {
  it('stop it without a complaint, start it again, and restart it, with the same container and home', async () => {
    await create('steady')
    const { Id } = await inspect('steady')
    expect((await owner('POST /agents/steady/stop?wait=true')).json()).toMatchObject({ state: 'stopped', reason: null })
    expect((await inspect('steady')).State.Running).toBe(false)
    expect((await owner('POST /agents/steady/stop?wait=true')).json()).toMatchObject({ state: 'stopped', reason: null })
    expect((await owner('POST /agents/steady/start?wait=true')).json()).toMatchObject({ state: 'running' })
    const before = await inspect('steady')
    expect((await owner('POST /agents/steady/restart?wait=true')).json()).toMatchObject({ state: 'running' })
    const after = await inspect('steady')
    expect([before.Id, after.Id]).toEqual([Id, Id])
    expect(after.State.StartedAt).not.toBe(before.State.StartedAt)
    // The events of the restart arrive after its answer, and change nothing.
    expect((await owner('GET /agents/steady')).json()).toMatchObject({ state: 'running', reason: null })
  })

  it('are answered with 202 and what is being done', async () => {
    await create('prompt')
    const response = await owner('POST /agents/prompt/stop')
    expect(response.statusCode).toBe(202)
    expect(response.json()).toMatchObject({ state: 'stopping' })
    await until('the stop', async () => (await owner('GET /agents/prompt')).json<Agent>().state === 'stopped')
  })

  it('apply new settings with a restart, and not with a start of what runs', async () => {
    await create('grown')
    const { Id } = await inspect('grown')
    const changed = await owner('PATCH /agents/grown', { memoryMb: 300, cpus: 0.5 })
    expect(changed.json()).toMatchObject({ memoryMb: 300, restartNeeded: true, state: 'running' })
    expect((await owner('POST /agents/grown/start?wait=true')).json()).toMatchObject({ restartNeeded: true })
    expect((await inspect('grown')).Id).toBe(Id)
    const restarted = await owner('POST /agents/grown/restart?wait=true')
    expect(restarted.json()).toMatchObject({ state: 'running', restartNeeded: false })
    const { HostConfig } = await inspect('grown')
    expect(HostConfig).toMatchObject({ Memory: 300 * 2 ** 20, MemorySwap: 300 * 2 ** 20, NanoCpus: 5e8 })
    expect((await owner('PATCH /agents/grown', { model: 'haiku' })).json()).toMatchObject({ restartNeeded: false })
  })

  // The next test has commands that come at the same time.
  longIt('wait for each other, and too many are refused', async () => {
    await create('busy')
    const commands = [
      'stop',
      'start',
      'restart',
      'stop',
      'restart',
      'start',
      'stop',
      'start',
      'restart',
      'stop',
      'start',
      'stop',
    ]
    const answers = await Promise.all(commands.map((command) => owner(`POST /agents/busy/${command}?wait=true`)))
    const codes = answers.map(({ statusCode }) => statusCode)
    expect(new Set(codes)).toEqual(new Set([202, 409]))
    // One runs and eight wait; some may end before the last one arrives.
    expect(codes.filter((code) => code === 202).length).toBeGreaterThanOrEqual(9)
    expect(answers.find(({ statusCode }) => statusCode === 409)?.json()).toMatchObject({ code: 'WRONG_STATE' })
    const state = (await owner('GET /agents/busy')).json<Agent>()
    expect(state.state === 'running').toBe((await inspect('busy')).State.Running)
    expect(['running', 'stopped']).toContain(state.state)
  })

  it('that come while it is deleted find it gone, and bring nothing back', async () => {
    await create('going')
    const answers = await Promise.all([
      owner('DELETE /agents/going'),
      owner('POST /agents/going/start?wait=true'),
      owner('POST /agents/going/restart?wait=true'),
      owner('PATCH /agents/going', { model: 'opus' }),
      owner('POST /agents/going/shares', { email: team().colleague.email }),
      owner('DELETE /agents/going'),
    ])
    // Either deletion may come first, and the other then finds no agent.
    expect([answers[0].statusCode, answers[5].statusCode]).toContain(204)
    for (const { statusCode } of answers) expect(statusCode).toBeLessThan(500)
    expect((await owner('GET /agents/going')).statusCode).toBe(404)
    expect(await leftOf('going')).toEqual([])
  })

  it('show what is being done meanwhile, and a deletion during the creation leaves nothing', async () => {
    const created = owner('POST /agents?wait=true', newAgent('brief'))
    await until('its row', async () => (await owner('GET /agents/brief')).statusCode === 200)
    expect((await owner('DELETE /agents/brief')).statusCode).toBe(204)
    expect([201, 404]).toContain((await created).statusCode)
    expect(await leftOf('brief')).toEqual([])
  })

  it('give figures and logs of what runs, and no figures of what does not', async () => {
    await create('measured')
    const stats = await owner('GET /agents/measured/stats')
    expect(stats.json()).toMatchObject({ memoryLimitBytes: 256 * 2 ** 20 })
    const { Id } = await inspect('measured')
    const options = { argv: ['sh', '-c', 'echo hello > /proc/1/fd/1'], timeoutMs: 60_000, maxOutputBytes: 0 }
    await runtime.run(Id, options)
    await until('the line', async () => (await owner('GET /agents/measured/logs?tail=5')).body.includes('hello'))
    await owner('POST /agents/measured/stop?wait=true')
    expect((await owner('GET /agents/measured/stats')).json()).toMatchObject({ statusCode: 409, code: 'WRONG_STATE' })
    expect((await owner('GET /agents/measured/logs')).body).toContain('hello')
  })
})
