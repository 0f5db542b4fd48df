import { until } from '@slipway/testing'
import { longIt } from '@slipway/testing/forms'
import { describe, expect, it } from 'vitest'
import { IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { openTerminal } from '../../../../test/conformance/terminal.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { namesFor } from './profile.ts'
import { DockerRuntime } from '../runtime.ts'

const { docker, runtime, namespace } = useEngine()
const names = namesFor(namespace)
const bash = (id: string, script: string) =>
  runtime.run(id, { argv: ['bash', '-c', script], timeoutMs: 60_000, maxOutputBytes: 1000 })

describe('the agents’ network', () => {
  it('is made once by several launches at once, and keeps their containers apart', async () => {
    const launched = await Promise.all([1, 2].map(() => runtime.launch(newSpec(IMAGE))))
    const networks = await docker.listNetworks({ filters: { name: [names.network] } })
    expect(networks).toHaveLength(1)

    const [server, client] = launched.map(({ id }) => id) as [string, string]
    const { NetworkSettings } = await docker.getContainer(server).inspect()
    const address = NetworkSettings.Networks[names.network]?.IPAddress ?? ''
    expect(address).toMatch(/^10\./)
    const listening = await openTerminal({ runtime, containerId: server }, ['python3', '-m', 'http.server', '8099'])
    const reach = (from: string, host: string) => bash(from, `timeout 2 bash -c 'exec 3<>/dev/tcp/${host}/8099'`)
    await until('the server', async () => (await reach(server, address)).exitCode === 0)
    expect((await reach(client, address)).exitCode).not.toBe(0)
    expect((await reach(client, names.container('nobody'))).exitCode).not.toBe(0)
    await listening.pty.hangUp()
  })

  // The test before makes the network.
  longIt('is made again when it was removed under a stopped container', async () => {
    const spec = newSpec(IMAGE)
    const { id } = await runtime.launch(spec)
    await bash(id, 'echo kept > ~/file')
    for (const container of await runtime.list()) await runtime.remove(container.id)
    const again = await runtime.launch(spec)
    await runtime.stop(again.id, 0)
    await docker.getNetwork(names.network).remove()
    const anew = await runtime.launch(spec)
    expect(anew.running).toBe(true)
    expect((await bash(anew.id, 'cat ~/file')).stdout.toString()).toBe('kept\n')
  })

  // In the short form the subnet that the engine chooses.
  longIt('has the configured subnet, also after the network was made anew with another', async () => {
    for (const container of await runtime.list()) await runtime.remove(container.id)
    await docker.getNetwork(names.network).remove()
    const neighbour = new DockerRuntime(namespace, undefined, { subnetPool: '10.216.0.0/16' })
    expect(neighbour.agentSubnets).toEqual(['10.216.0.0/16'])
    await neighbour.watch(() => undefined)
    const spec = newSpec(IMAGE)
    const { id } = await neighbour.launch(spec)
    const subnetOf = async (): Promise<string[]> =>
      (await docker.getNetwork(names.network).inspect()).IPAM?.Config?.map(({ Subnet }) => Subnet ?? '') ?? []
    expect(neighbour.agentSubnets).toEqual(await subnetOf())
    expect(neighbour.agentSubnets[0]).toMatch(/^10\.216\.\d+\.0\/20$/)

    await runtime.stop(id, 0)
    await docker.getNetwork(names.network).remove()
    await runtime.launch(spec)
    const now = await subnetOf()
    expect(now[0]).not.toMatch(/^10\.216\./)
    await until('the news', () => neighbour.agentSubnets[0] === now[0])
    await neighbour.close()
  })

  it('is not one of that name on which containers could reach each other', async () => {
    for (const container of await runtime.list()) await runtime.remove(container.id)
    await docker.getNetwork(names.network).remove()
    await docker.createNetwork({ Name: names.network, Driver: 'bridge' })
    const spec = newSpec(IMAGE)
    await expect(runtime.launch(spec)).rejects.toMatchObject({ code: 'name_taken' })
    expect(await runtime.find(spec)).toBeNull()
    await docker.getNetwork(names.network).remove()
  })
})
