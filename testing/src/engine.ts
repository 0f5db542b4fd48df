/** Removes what a test left at the container engine. */
import { until } from './until.ts'

/** Longest time until everything is gone, in milliseconds. An engine with many containers takes its time. */
const DEADLINE_MS = 120_000

interface Removable {
  remove(options?: { force?: boolean; v?: boolean }): Promise<unknown>
}

/** The part of dockerode's client that is needed here, so that this workspace does not depend on it. */
export interface EngineClient {
  listContainers(options: { all: true }): Promise<readonly { Id: string; Names: readonly string[] }[]>
  getContainer(id: string): Removable
  listVolumes(): Promise<{ Volumes: readonly { Name: string }[] }>
  getVolume(name: string): Removable
  listNetworks(): Promise<readonly { Id: string; Name: string }[]>
  getNetwork(id: string): Removable
}

/**
 * Removes every container, volume and network whose name begins with the namespace and a hyphen, and looks again until
 * there are none: the engine may still be making or removing a container for a server that has ended, and keeps a
 * network or a volume that such a container uses. Rejects with the name of what stays.
 */
export const removeNamespace = async (docker: EngineClient, namespace: string): Promise<void> => {
  let left: readonly string[] = []
  const gone = async (): Promise<boolean> => {
    left = await removeAll(docker, `${namespace}-`)
    return left.length === 0
  }
  await until(`the end of all in ${namespace}`, gone, DEADLINE_MS).catch((error: unknown) => {
    throw new Error(`the engine keeps ${left.join(', ')}`, { cause: error })
  })
}

/** Answers with the names of what it found, since something new may use them. */
const removeAll = async (docker: EngineClient, prefix: string): Promise<string[]> => {
  const isOurs = (name: string): boolean => name.startsWith(prefix)
  const containers = (await docker.listContainers({ all: true })).flatMap(({ Id, Names }) => {
    const name = Names.map((one) => one.slice(1)).find(isOurs)
    return name === undefined ? [] : [{ name, found: docker.getContainer(Id) }]
  })
  await removeEach(containers)
  const { Volumes } = await docker.listVolumes()
  const volumes = Volumes.filter(({ Name }) => isOurs(Name)).map(({ Name }) => ({
    name: Name,
    found: docker.getVolume(Name),
  }))
  const networks = (await docker.listNetworks())
    .filter(({ Name }) => isOurs(Name))
    .map(({ Id, Name }) => ({ name: Name, found: docker.getNetwork(Id) }))
  await removeEach([...volumes, ...networks])
  return [...containers, ...volumes, ...networks].map(({ name }) => name)
}

const removeEach = async (all: readonly { found: Removable }[]): Promise<void> => {
  await Promise.all(all.map(({ found }) => found.remove({ force: true, v: true }).catch(unlessUnderWay)))
}

/** 404: it is gone. 409: its removal is under way, or it is in use. 403: a network is in use. The next look tells. */
const unlessUnderWay = (error: unknown): void => {
  const { statusCode } = error as { statusCode?: number }
  if (statusCode !== 404 && statusCode !== 409 && statusCode !== 403) throw error
}
