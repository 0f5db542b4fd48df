/**
 * Measures the time from the request for an agent to its shell's prompt, beside a bare container of the same profile.
 */
import type { Agent } from '@slipway/protocol'
import { containerOf, docker } from '../harness/engine.ts'
import { type Findings, milliseconds } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

export const create = async ({ world, api, client, terminal, containerId }: Stage): Promise<Findings> => {
  const model = await docker.getContainer(containerId).inspect()

  const agent = async (name: string): Promise<number> => {
    const started = performance.now()
    const { state } = await api.post<Agent>('/agents?wait=true', { name, runtime: 'claude-code' })
    const created = performance.now() - started
    if (state !== 'running') throw new Error(`agent ${name} is ${state}`)
    const prompt = await client.call('promptThroughTerminal', { ...terminal, url: api.terminalUrl(name) })
    // The API would leave work for later, which would run beside the next sample.
    await docker.getContainer(await containerOf(world.namespace, name)).remove({ force: true, v: true })
    return created + prompt
  }

  /**
   * A container with the platform's options, which come from a container that the platform made. Its home is a new
   * volume.
   */
  const bare = async (name: string): Promise<number> => {
    const volume = `${world.namespace}-${name}`
    const started = performance.now()
    await docker.createVolume({ Name: volume })
    const mounts = model.HostConfig.Mounts?.map((mount) => ({ ...mount, Source: volume })) ?? []
    const container = await docker.createContainer({
      ...model.Config,
      name: volume,
      HostConfig: { ...model.HostConfig, Mounts: mounts },
    })
    await container.start()
    const created = performance.now() - started
    const prompt = await client.call('promptThroughExec', { containerId: container.id })
    await container.remove({ force: true, v: true })
    return created + prompt
  }

  const samples = { agent: [] as number[], bare: [] as number[] }
  for (let round = 0; round < ROUNDS; round++)
    await inTurns(['agent', 'bare'] as const, round, async (way) => {
      const name = `${way}-${round}`
      samples[way].push(await (way === 'agent' ? agent(name) : bare(name)))
    })
  return {
    rows: [
      {
        figure: 'create to first prompt byte',
        median: milliseconds(median(samples.agent), 0),
        limit: `${milliseconds(median(samples.bare), 0)} bare container and exec`,
        ratio: pairedMedian(samples.agent, samples.bare, (our, their) => our / their).toFixed(2),
        target: '-',
        met: null,
      },
    ],
    raw: { unit: 'ms', ...samples },
  }
}
