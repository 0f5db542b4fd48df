import { describe, expect, it } from 'vitest'
import { type EngineClient, removeNamespace } from './engine.ts'

/**
 * An engine with a container, a volume and a network, which refuses the first removals of its container, and may count connections to
 * its network that are gone.
 */
const engineWith = ({
  refusals,
  miscounts = false,
}: {
  refusals: number
  miscounts?: boolean
}): EngineClient & { readonly left: Set<string> } => {
  const left = new Set(['test-agent-a', 'test-data', 'test-agents'])
  let refused = 0
  const removable = (name: string) => ({
    remove: async () => {
      if (name === 'test-agent-a' && refused++ < refusals)
        throw Object.assign(new Error('tried to kill container, but did not receive an exit event'), {
          statusCode: 500,
        })
      if (name === 'test-agents' && (left.has('test-agent-a') || miscounts))
        throw Object.assign(new Error('network has active endpoints'), { statusCode: 403 })
      left.delete(name)
    },
  })
  const there = (...names: string[]): string[] => names.filter((name) => left.has(name))
  return {
    left,
    listContainers: async () => there('test-agent-a').map((name) => ({ Id: name, Names: [`/${name}`] })),
    getContainer: removable,
    listVolumes: async () => ({ Volumes: there('test-data').map((Name) => ({ Name })) }),
    getVolume: removable,
    listNetworks: async () => there('test-agents').map((Name) => ({ Id: Name, Name })),
    getNetwork: removable,
  }
}

describe('the removal of a namespace', () => {
  it('asks again where a busy engine refuses', async () => {
    const engine = engineWith({ refusals: 2 })
    await removeNamespace(engine, 'test')
    expect([...engine.left]).toEqual([])
  })

  it('leaves a network that is in use by nothing, as Docker may count', async () => {
    const engine = engineWith({ refusals: 1, miscounts: true })
    await removeNamespace(engine, 'test', { miscountedMs: 10 })
    expect([...engine.left]).toEqual(['test-agents'])
  })

  it('leaves other namespaces alone', async () => {
    const engine = engineWith({ refusals: 0 })
    await removeNamespace(engine, 'te')
    expect([...engine.left]).toHaveLength(3)
  })

  it('fails with what stays, and with the reasons of the engine', async () => {
    const engine = engineWith({ refusals: Infinity })
    await expect(removeNamespace(engine, 'test', { deadlineMs: 0 })).rejects.toThrow(
      'the engine keeps test-agent-a, test-data, test-agents\n' +
        'tried to kill container, but did not receive an exit event\n' +
        'network has active endpoints',
    )
  })
})
