/**
 * A file of root's in a container. It is in `/dev`, which is in memory: a stop of the container ends it, and it is never
 * on a disk. Only root can write there.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { RootFile } from '../../port.ts'
import { AGENT_GID } from '../container/profile.ts'
import { scriptArgv } from '../scripts.ts'
import { streamInContainer } from './stream.ts'

/** How long the file stays when the server is gone, in seconds: a CLI may take that long before it reads it. */
const ORPHAN_SECONDS = 20
/** Longest wait for the file, in milliseconds. */
const WRITTEN_MS = 30_000

/**
 * See the runtime's `putRootFile`. The program that keeps it is the only one of root in a container. Like all others it has
 * no capabilities. It uses nothing that an agent can change: not its PATH, and not its home.
 */
export const putRootFile = async (docker: Docker, containerId: string, text: string): Promise<RootFile> => {
  const path = `/dev/slipway-${randomUUID()}`
  const argv = scriptArgv('root-file', path, String(ORPHAN_SECONDS))
  const options = { User: `0:${AGENT_GID}`, WorkingDir: '/' }
  const { input, output, exit, close } = await streamInContainer(docker, containerId, argv, options)
  input.write(`${text}\n`)
  const isWritten = once(output, 'data', { signal: AbortSignal.timeout(WRITTEN_MS) }).then(() => true)
  // It prints nothing if it fails.
  const isKept = await Promise.race([isWritten, exit.then(() => false)]).catch(() => false)
  if (!isKept) {
    close()
    throw new RuntimeError('unsupported', 'the container takes no file of root')
  }
  output.resume()
  const remove = (): void => {
    if (input.writable) input.end('over\n')
  }
  return { path, remove }
}
