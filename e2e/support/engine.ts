/** The container engine, as tests see it without the server. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { removeNamespace as removeAllOf } from '@slipway/testing'
import Docker from 'dockerode'

export const docker = new Docker()

/** Removes every container, volume and network of a namespace. */
export const removeNamespace = (namespace: string): Promise<void> => removeAllOf(docker, namespace)

/** Command lines of all processes in a container, as the engine's host sees them. */
export const processesIn = async (container: string): Promise<string[]> => {
  const { Titles, Processes } = (await docker.getContainer(container).top()) as {
    Titles: string[]
    Processes: string[][]
  }
  const command = Titles.indexOf('CMD')
  return Processes.map((row) => row[command] ?? '')
}

/** Runs a command in a container and returns its output. Throws if the command fails. */
export const runIn = async (container: string, argv: readonly string[]): Promise<string> =>
  (await promisify(execFile)('docker', ['exec', container, ...argv])).stdout

/** Builds an image from a Dockerfile alone. */
export const buildImage = async (tag: string, dockerfile: string): Promise<void> => {
  const built = promisify(execFile)('docker', ['build', '--quiet', '--network', 'none', '--tag', tag, '-'])
  built.child.stdin?.end(dockerfile)
  await built
}
