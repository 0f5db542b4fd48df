/**
 * Runs a script beside a container: in a short-lived container that shares only its processes. It has a limit of
 * processes of its own, so that it starts where the agent has used up those of the container.
 */
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import { tolerate, typed } from '../errors.ts'

/** Enough for a shell and one program, in bytes. */
const MEMORY = 64 * 1024 * 1024
const PIDS_LIMIT = 16

const createOptions = (
  { Id, Image, Config }: Docker.ContainerInspectInfo,
  argv: readonly string[],
): Docker.ContainerCreateOptions => ({
  // One at a time: a second one is refused, and its caller tries again. No agent's container is named like this.
  name: `beside-${Id}`,
  Image,
  Entrypoint: [...argv],
  Cmd: [],
  // Without `managed`: lists of agents' containers must not contain it.
  Labels: {},
  User: Config.User,
  WorkingDir: '/',
  Healthcheck: { Test: ['NONE'] },
  HostConfig: {
    AutoRemove: true,
    PidMode: `container:${Id}`,
    NetworkMode: 'none',
    ReadonlyRootfs: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    PidsLimit: PIDS_LIMIT,
    Memory: MEMORY,
    MemorySwap: MEMORY,
  },
})

/** The exit code of the program. It runs as the user of the container. Fails with a `RuntimeError`. */
export const runBeside = (
  docker: Docker,
  containerId: string,
  { argv, timeoutMs }: { readonly argv: readonly string[]; readonly timeoutMs: number },
): Promise<number> =>
  typed(async () => {
    const options = createOptions(await docker.getContainer(containerId).inspect(), argv)
    // A server that was killed may have left one that never started. One that runs stays.
    await tolerate(['not_found'], () => docker.getContainer(options.name ?? '').remove({ v: true }))
    const abortSignal = AbortSignal.timeout(timeoutMs)
    const container = await docker.createContainer(options)
    try {
      const removed = container.wait({ condition: 'removed', abortSignal }) as Promise<{ StatusCode: number }>
      const [{ StatusCode }] = await Promise.all([removed, container.start()])
      return StatusCode
    } catch (error) {
      await container.remove({ force: true, v: true }).catch(() => undefined)
      if (!abortSignal.aborted) throw error
      throw new RuntimeError('timed_out', `${options.name ?? ''} took over ${timeoutMs} ms`, { cause: error })
    }
  })
