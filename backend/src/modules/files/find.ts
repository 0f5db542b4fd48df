/** Finds which of the paths that a program printed are files or folders in the agent's home, and lists folders. */
import { posix } from 'node:path'
import { AGENT_HOME, FOLDER_ENTRIES_MAX, type FolderEntry, type FolderListing, type FoundFile } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import { RuntimeError } from '../../runtime/errors.ts'
import type { Arrival } from '../access/loss.ts'
import type { Found } from '../agents/service.ts'
import { toHomePath } from './path.ts'
import { bytesOf, encodedWhereNeeded, octalEscaped, textOf } from './path-bytes.ts'
import { scriptArgv } from './program.ts'
import type { FilePrograms } from './programs.ts'

/** Longest time for the script, in milliseconds: a user waits with the pointer over a word. */
const FIND_MS = 10 * SECOND_MS
/** Longest answer for one path, in bytes: the kernel's longest path (PATH_MAX), a kind and a size. */
const ANSWER_BYTES = 4096 + 64
/** Longest listing, in bytes: the real path, and for each entry a kind and the kernel's longest name (NAME_MAX). */
const LISTING_BYTES = 4096 + (FOLDER_ENTRIES_MAX + 1) * (255 + 16)
const MISSING: FoundFile = { kind: null, size: 0, path: null }

/** A search reads and changes no content, so it is not recorded. A later download is. */
export class FileFinder {
  readonly #programs: Pick<FilePrograms, 'run'>

  constructor(programs: Pick<FilePrograms, 'run'>) {
    this.#programs = programs
  }

  /** One answer for each path, in order. A relative path is looked up in the working folders of terminals' programs. */
  async find(found: Found, arrival: Arrival, paths: readonly string[]): Promise<FoundFile[]> {
    const argv = scriptArgv('find', ...paths.map(inHome))
    return answersIn(await this.#look(found, arrival, argv, paths.length * ANSWER_BYTES), paths.length)
  }

  /** What is in a folder of the home. Throws `FILE_NOT_FOUND`, `OUTSIDE_HOME` and `FILE_REFUSED`. */
  async list(found: Found, arrival: Arrival, path: string): Promise<FolderListing> {
    const folder = octalEscaped(toHomePath(bytesOf(path)))
    const argv = scriptArgv('list', folder, String(FOLDER_ENTRIES_MAX + 1))
    return listingIn(await this.#look(found, arrival, argv, LISTING_BYTES))
  }

  /** Runs a script in the agent, and returns its output. */
  #look(found: Found, arrival: Arrival, argv: string[], maxOutputBytes: number): Promise<Buffer> {
    return this.#programs.run({ found, arrival }, argv, null, { timeoutMs: FIND_MS, maxOutputBytes })
  }
}

const inHome = (path: string): string =>
  path === '~' || path.startsWith('~/') ? posix.join(AGENT_HOME, path.slice(1)) : path

/** Parses "kind NUL size NUL path NUL" for each path. The container's output is not trusted. */
export const answersIn = (stdout: Buffer, count: number): FoundFile[] => {
  const fields = stdout.toString('latin1').split('\0')
  if (fields.length !== count * 3 + 1) throw somethingElse()
  return Array.from({ length: count }, (_, at) => {
    const [kind, size = '', path = ''] = fields.slice(at * 3, at * 3 + 3)
    if (kind !== 'file' && kind !== 'folder') return MISSING
    if (!/^\d{1,15}$/.test(size) || (path !== AGENT_HOME && !path.startsWith(`${AGENT_HOME}/`))) throw somethingElse()
    const encodedPath = encodedWhereNeeded(path)
    return { kind, size: Number(size), path: textOf(path), ...(encodedPath !== null && { encodedPath }) }
  })
}

/** Parses the real path, and "kind NUL name NUL" for each entry. The container's output is not trusted. */
export const listingIn = (stdout: Buffer): FolderListing => {
  const [path = '', ...fields] = stdout.toString('latin1').split('\0')
  const isInHome = path === AGENT_HOME || path.startsWith(`${AGENT_HOME}/`)
  if (!isInHome || fields.length % 2 !== 1) throw somethingElse()
  const all = Array.from({ length: (fields.length - 1) / 2 }, (_, at): FolderEntry => {
    const [kind, name = ''] = fields.slice(at * 2, at * 2 + 2)
    if ((kind !== 'file' && kind !== 'folder') || name === '' || name.includes('/')) throw somethingElse()
    return { kind, name }
  })
  const items = all
    .slice(0, FOLDER_ENTRIES_MAX)
    .flatMap(({ kind, name }) => (encodedWhereNeeded(name) === null ? [{ kind, name: textOf(name) }] : []))
  return { path: textOf(path), items, truncated: all.length > FOLDER_ENTRIES_MAX }
}

const somethingElse = (): RuntimeError => new RuntimeError('engine_error', 'the script answered something else')
