/** Writes files into an agent's home by an exec as the agent's user: never through the archive API. */
import { readFileSync } from 'node:fs'
import type { ContainerRuntime } from '../../../runtime/port.ts'
import type { HomeFile } from '../../providers/provider.ts'

/** The agent's user cannot write to the home. */
export class HomeError extends Error {
  override readonly name = 'HomeError'
}

const WRITE_SCRIPT = readFileSync(new URL('write.sh', import.meta.url), 'utf8')
const TIMEOUT_MS = 20_000

/** Writes each missing file that can be written; files that the user changed stay. */
export const prepareHome = async (
  runtime: Pick<ContainerRuntime, 'run'>,
  containerId: string,
  files: readonly HomeFile[],
): Promise<void> => {
  const triples = files.flatMap((file) => [file.path, file.mode.toString(8), file.content])
  const argv = ['/bin/sh', '-c', WRITE_SCRIPT, 'slipway-write', ...triples]
  const { exitCode, stderr } = await runtime.run(containerId, { argv, timeoutMs: TIMEOUT_MS, maxOutputBytes: 4096 })
  if (exitCode === 0) return
  const detail = stderr.toString('utf8').trim().slice(0, 200)
  throw new HomeError(`The home cannot be written by the agent's user (${detail || `exit code ${exitCode}`}).`)
}
