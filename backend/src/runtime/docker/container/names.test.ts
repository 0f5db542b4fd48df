import { describe, expect, it } from 'vitest'
import { IMAGE, MISSING_IMAGE, useEngine } from '../../../../test/support/engine/engine.ts'
import { newSpec } from '../../../../test/conformance/subject.ts'
import { namesFor } from './profile.ts'
import { DockerRuntime } from '../runtime.ts'

const { docker, runtime, namespace } = useEngine()
const names = namesFor(namespace)

const volumeNames = async (): Promise<string[]> => (await docker.listVolumes()).Volumes.map(({ Name }) => Name)
const containerNames = async (): Promise<string[]> =>
  (await docker.listContainers({ all: true })).flatMap(({ Names }) => Names)
/** Creates a foreign container, which is never started. */
const foreign = (name: string) => docker.createContainer({ name, Image: IMAGE, Entrypoint: ['true'] })

describe('a name that something else on the engine has', () => {
  it('is not taken from a container, which stays as it is', async () => {
    const spec = newSpec(IMAGE)
    const { id } = await foreign(names.container(spec.agentName))
    await expect(runtime.launch(spec)).rejects.toMatchObject({ code: 'name_taken' })
    await expect(runtime.find(spec)).rejects.toMatchObject({ code: 'name_taken' })
    expect((await docker.getContainer(id).inspect()).State.Status).toBe('created')
    expect(await volumeNames()).not.toContain(names.home(spec.agentName))
  })

  it('is not taken from another agent of ours', async () => {
    const spec = newSpec(IMAGE)
    await runtime.launch(spec)
    const other = newSpec(IMAGE, { agentName: spec.agentName })
    await expect(runtime.launch(other)).rejects.toMatchObject({ code: 'name_taken' })
    await runtime.removeHome(other)
    expect(await volumeNames()).toContain(names.home(spec.agentName))
  })

  it('is not taken from a volume, which stays as it is, also when the agent’s home is removed', async () => {
    const spec = newSpec(IMAGE)
    const Name = names.home(spec.agentName)
    await docker.createVolume({ Name, Labels: { whose: 'another program’s' } })
    await expect(runtime.launch(spec)).rejects.toMatchObject({ code: 'name_taken' })
    expect(await runtime.find(spec)).toBeNull()
    await runtime.removeHome(spec)
    expect(await docker.getVolume(Name).inspect()).toMatchObject({ Labels: { whose: 'another program’s' } })
  })
})

describe('a launch that fails, with its image missing or too little memory,', () => {
  it('leaves neither container nor volume', async () => {
    const missing = newSpec(MISSING_IMAGE)
    await expect(runtime.launch(missing)).rejects.toMatchObject({ code: 'image_missing' })
    const tiny = newSpec(IMAGE, { memoryMb: 4 })
    await expect(runtime.launch(tiny)).rejects.toMatchObject({ code: 'no_memory' })
    for (const { agentName } of [missing, tiny]) {
      expect(await containerNames()).not.toContain(`/${names.container(agentName)}`)
      expect(await volumeNames()).not.toContain(names.home(agentName))
    }
  })
})

describe('two installations on one engine', () => {
  it('do not see each other’s containers', async () => {
    const spec = newSpec(IMAGE)
    await runtime.launch(spec)
    const ours = (await runtime.list()).map(({ agentId }) => agentId)
    expect(ours).toContain(spec.agentId)
    const neighbour = new DockerRuntime(`${namespace}-n`)
    expect(await neighbour.list()).toEqual([])
    expect(await neighbour.find(spec)).toBeNull()
    await neighbour.close()
  })
})
