/** Removes what a test left at the container engine. */
import { until } from './until.ts'

/** Longest time until everything is gone, in milliseconds. An engine with many containers takes its time. */
const DEADLINE_MS = 120_000

interface Removable {
  remove(options?: { force?: boolean; v?: boolean }): Promise<unknown>
}

/**
 * How long a network may seem to be in use without a container, in milliseconds. Docker 20.10 sometimes counts connections of
 * containers that are gone, until its next start.
 */
const MISCOUNTED_MS = 20_000
const IN_USE = 'has active endpoints'

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
 * The present time, for `since` of the engine's events, in seconds. The engine answers before it begins to listen, and repeats what
 * came in between only with a time.
 */
export const engineTime = (): number => Date.now() / 1000

/** What a look at a namespace found. */
interface Found {
  readonly names: readonly string[]
  /** Why the engine did not remove some of it. */
  readonly refusals: readonly Error[]
  /** Whether it was networks alone, and the engine says that they are in use. */
  readonly isMiscounted: boolean
}

/**
 * Removes every container, volume and network whose name begins with the namespace and a hyphen, and looks again until
 * there are none: the engine may still be making or removing a container for a server that has ended, keeps a network
 * or a volume that such a container uses, and refuses a removal when it is too busy to see a process end. A network that is in use
 * by nothing stays.
 *
 * @throws {Error} at the deadline, with the names of what stays and the engine's last reasons
 */
export const removeNamespace = async (
  docker: EngineClient,
  namespace: string,
  { deadlineMs = DEADLINE_MS, miscountedMs = MISCOUNTED_MS } = {},
): Promise<void> => {
  let found: Found = { names: [], refusals: [], isMiscounted: false }
  let lastOther = performance.now()
  const gone = async (): Promise<boolean> => {
    found = await removeAll(docker, `${namespace}-`)
    if (!found.isMiscounted) lastOther = performance.now()
    return found.names.length === 0 || performance.now() - lastOther > miscountedMs
  }
  await until(`the end of all in ${namespace}`, gone, deadlineMs).catch((error: unknown) => {
    const why = found.refusals.map(({ message }) => `\n${message}`).join('')
    throw new Error(`the engine keeps ${found.names.join(', ')}${why}`, { cause: error })
  })
}

/** It answers with all that it found, since something new may use it. */
const removeAll = async (docker: EngineClient, prefix: string): Promise<Found> => {
  const isOurs = (name: string): boolean => name.startsWith(prefix)
  const containers = (await docker.listContainers({ all: true })).flatMap(({ Id, Names }) => {
    const name = Names.map((one) => one.slice(1)).find(isOurs)
    return name === undefined ? [] : [{ name, found: docker.getContainer(Id) }]
  })
  const refusals = await removeEach(containers)
  const { Volumes } = await docker.listVolumes()
  const volumes = Volumes.filter(({ Name }) => isOurs(Name)).map(({ Name }) => ({
    name: Name,
    found: docker.getVolume(Name),
  }))
  const networks = (await docker.listNetworks())
    .filter(({ Name }) => isOurs(Name))
    .map(({ Id, Name }) => ({ name: Name, found: docker.getNetwork(Id) }))
  refusals.push(...(await removeEach([...volumes, ...networks])))
  const isMiscounted =
    containers.length + volumes.length === 0 &&
    refusals.length === networks.length &&
    refusals.every(({ message }) => message.includes(IN_USE))
  return { names: [...containers, ...volumes, ...networks].map(({ name }) => name), refusals, isMiscounted }
}

/** Answers with the refusals. */
const removeEach = async (all: readonly { found: Removable }[]): Promise<Error[]> => {
  const removals = await Promise.allSettled(all.map(({ found }) => found.remove({ force: true, v: true })))
  return removals.flatMap((removal) => (removal.status === 'rejected' ? [removal.reason as Error] : []))
}
