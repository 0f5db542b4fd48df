/** Finds which of the paths that a program printed are files or folders in the agent's home. */
import { posix } from 'node:path'
import { AGENT_HOME, type FoundFile } from '@slipway/protocol'
import { AppError } from '../../lib/errors.ts'
import { SECOND_MS } from '../../lib/clock.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { ContainerRuntime } from '../../runtime/port.ts'
import { asAppError } from '../../runtime/app-error.ts'
import type { Arrival } from '../access/loss.ts'
import type { AgentService, Found } from '../agents/service.ts'
import { encodedWhereNeeded, textOf } from './path-bytes.ts'
import { failureOf, scriptArgv } from './program.ts'
import type { Transfer, Transfers } from './transfers.ts'

/** Longest time for the script, in milliseconds: a user waits with the pointer over a word. */
const FIND_MS = 10 * SECOND_MS
/** Longest answer for one path, in bytes: the kernel's longest path (PATH_MAX), a kind and a size. */
const ANSWER_BYTES = 4096 + 64
const MISSING: FoundFile = { kind: null, size: 0, path: null }

interface Parts {
  readonly runtime: Pick<ContainerRuntime, 'run'>
  readonly agents: Pick<AgentService, 'snapshot'>
  /** A search counts as a transfer, since each is an exec. */
  readonly transfers: Transfers
}

/** A search reads and changes no content, so it is not recorded. A later download is. */
export class FileFinder {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** One answer for each path, in order. A relative path is looked up in the working folders of terminals' programs. */
  async find(found: Found, arrival: Arrival, paths: readonly string[]): Promise<FoundFile[]> {
    const { runtime, agents, transfers } = this.#parts
    const { runningId } = agents.snapshot(found.row)
    if (runningId === null) throw new AppError('WRONG_STATE', 'The agent is not running. Start it first.')
    const transfer: Transfer = { ...found, close: () => undefined }
    transfers.begin(transfer, arrival)
    try {
      const argv = scriptArgv('find', ...paths.map(inHome))
      const maxOutputBytes = paths.length * ANSWER_BYTES
      const { exitCode, stdout } = await runtime.run(runningId, { argv, timeoutMs: FIND_MS, maxOutputBytes })
      if (exitCode !== 0) throw failureOf(exitCode)
      return answersIn(stdout, paths.length)
    } catch (error) {
      throw asAppError(error)
    } finally {
      transfers.end(transfer)
    }
  }
}

const inHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? posix.join(AGENT_HOME, path.slice(1)) : path

/** Parses "kind NUL size NUL path NUL" for each path. The container's output is not trusted. */
export const answersIn = (stdout: Buffer, count: number): FoundFile[] => {
  const fields = stdout.toString('latin1').split('\0')
  if (fields.length !== count * 3 + 1) throw new RuntimeError('engine_error', 'the script answered something else')
  return Array.from({ length: count }, (_, at) => {
    const [kind, size = '', path = ''] = fields.slice(at * 3, at * 3 + 3)
    if (kind !== 'file' && kind !== 'folder') return MISSING
    if (!/^\d{1,15}$/.test(size) || (path !== AGENT_HOME && !path.startsWith(`${AGENT_HOME}/`)))
      throw new RuntimeError('engine_error', 'the script answered something else')
    const encodedPath = encodedWhereNeeded(path)
    return { kind, size: Number(size), path: textOf(path), ...(encodedPath !== null && { encodedPath }) }
  })
}
