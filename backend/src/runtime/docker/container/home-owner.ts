/**
 * Gives an agent's home to its user, by a short-lived container that sees nothing but the home. For images with a home that is too
 * large for the server's memory.
 */
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { ContainerSpec } from '../../port.ts'
import { tolerate } from '../errors.ts'
import { AGENT_GID, type Names } from './profile.ts'

/** Longest time for it, in milliseconds: an image may have many files in its home. */
const WITHIN_MS = 120_000
/** Enough for `chown`, in bytes. */
const MEMORY = 64 * 1024 * 1024
const PIDS_LIMIT = 16
/** Not the image's, which may name a folder of the home: no program in there may run with the right to change owners. */
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const createOptions = (names: Names, spec: ContainerSpec, uid: number): Docker.ContainerCreateOptions => ({
  name: names.homeGiver(spec.agentName),
  Image: spec.image,
  Entrypoint: ['chown', '-hR', `${uid}:${AGENT_GID}`, AGENT_HOME],
  Cmd: [],
  // Without `managed`: lists of agents' containers must not contain it.
  Labels: { [names.label.agent]: spec.agentId },
  User: '0:0',
  WorkingDir: '/',
  Env: [`PATH=${PATH}`],
  Healthcheck: { Test: ['NONE'] },
  HostConfig: {
    AutoRemove: true,
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    CapAdd: ['CHOWN', 'DAC_READ_SEARCH'],
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: PIDS_LIMIT,
    Memory: MEMORY,
    MemorySwap: MEMORY,
    // With a copy an empty home would get the image's owner again.
    Mounts: [
      {
        Type: 'volume',
        Source: names.home(spec.agentName),
        Target: AGENT_HOME,
        VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } },
      },
    ],
  },
})

/** Changes the owner of everything in the home. Fails with a `RuntimeError`. */
export const giveHome = async (docker: Docker, names: Names, spec: ContainerSpec, uid: number): Promise<void> => {
  await removeHomeGiver(docker, names, spec)
  const container = await docker.createContainer(createOptions(names, spec, uid))
  const abortSignal = AbortSignal.timeout(WITHIN_MS)
  try {
    const removed = container.wait({ condition: 'removed', abortSignal }) as Promise<{ StatusCode: number }>
    const [{ StatusCode }] = await Promise.all([removed, container.start()])
    if (StatusCode === 0) return
    const what = `the home could not be given to the user ${uid} (exit code ${StatusCode})`
    throw new RuntimeError('engine_error', `${what}; an engine with user namespaces has to map 65,536 ids`)
  } catch (error) {
    await removeHomeGiver(docker, names, spec).catch(() => undefined)
    if (!abortSignal.aborted) throw error
    throw new RuntimeError('timed_out', `the home could not be given to the user ${uid} in time`, { cause: error })
  }
}

/** Removes the container above if an earlier server left it. Keeps a container of that name that is not the agent's. */
export const removeHomeGiver = async (
  docker: Docker,
  names: Names,
  { agentName, agentId }: Pick<ContainerSpec, 'agentName' | 'agentId'>,
): Promise<void> => {
  const container = docker.getContainer(names.homeGiver(agentName))
  await tolerate(['not_found'], async () => {
    const { Config } = await container.inspect()
    if (Config.Labels[names.label.agent] === agentId) await container.remove({ force: true })
  })
}
