/** The container engine, used without the platform. */
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import Docker from 'dockerode'

export const docker = new Docker()

/** Runs a program in a container to its end, and answers its output. */
export const runInside = async (containerId: string, argv: readonly string[]): Promise<string> => {
  const exec = await docker.getContainer(containerId).exec({ Cmd: [...argv], AttachStdout: true, AttachStderr: true })
  const stream = await exec.start({ hijack: true, stdin: false })
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  docker.modem.demuxStream(stream, stdout, stderr)
  const printed = Promise.all([text(stdout), text(stderr)])
  await once(stream, 'end')
  stdout.end()
  stderr.end()
  const [out, complaint] = await printed
  const { ExitCode } = await exec.inspect()
  if (ExitCode !== 0) throw new Error(`${argv[0] ?? ''} ended with ${String(ExitCode)} in the container: ${complaint}`)
  return out
}

/** The id of the container that the platform made for an agent. */
export const containerOf = async (namespace: string, agent: string): Promise<string> =>
  (await docker.getContainer(`${namespace}-agent-${agent}`).inspect()).Id

/**
 * How many are removed at once. If two hundred end together, an engine forgets to detach some from their network, which
 * then cannot be removed.
 */
const REMOVED_AT_ONCE = 4

/** Removes everything on the engine whose name begins with the prefix. */
export const removeAll = async (prefix: string): Promise<void> => {
  const containers = await docker.listContainers({ all: true })
  const ours = containers.filter(({ Names }) => Names.some((name) => name.startsWith(`/${prefix}`)))
  for (let from = 0; from < ours.length; from += REMOVED_AT_ONCE)
    await Promise.all(
      ours
        .slice(from, from + REMOVED_AT_ONCE)
        .map(({ Id }) => docker.getContainer(Id).remove({ force: true, v: true }).catch(unlessGone)),
    )
  const { Volumes } = await docker.listVolumes()
  const volumes = Volumes.filter(({ Name }) => Name.startsWith(prefix))
  await Promise.all(volumes.map(({ Name }) => docker.getVolume(Name).remove().catch(unlessGone)))
  const networks = (await docker.listNetworks()).filter(({ Name }) => Name.startsWith(prefix))
  await Promise.all(networks.map(({ Id }) => docker.getNetwork(Id).remove().catch(unlessGone)))
}

const unlessGone = (error: unknown): void => {
  if ((error as { statusCode?: number }).statusCode !== 404) throw error
}
