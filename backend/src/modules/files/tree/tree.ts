/** Lists folders of any size, and names the files below a folder. Neither reads content, so they are not recorded. */
import type { Readable } from 'node:stream'
import {
  AGENT_HOME,
  type ListEnd,
  type ListLine,
  NAMES_MAX,
  TREE_ENTRIES_MAX,
  type TreeEntry,
  VERSION_PATHS_MAX,
} from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { AppError } from '../../../lib/errors.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import { RuntimeError } from '../../../runtime/errors.ts'
import { toHomePath } from '../path.ts'
import { decoded, encodedWhereNeeded, octalEscaped, type PathBytes, textOf } from '../path-bytes.ts'
import { failureOf, scriptArgv } from '../program.ts'
import type { Asked, FilePrograms } from '../programs.ts'
import { isVersion, VERSION_CHARS } from '../version.ts'
import { ndjsonOf } from './ndjson.ts'
import { recordsOf } from './records.ts'

/** The kernel's longest path, in bytes (PATH_MAX, limits.h). */
const PATH_BYTES = 4096
/** Longest time for the versions of some paths, in milliseconds. */
const VERSIONS_MS = 10 * SECOND_MS

interface Parts {
  readonly programs: FilePrograms
}

/** One of the agent's folders. */
export interface FolderRequest extends Asked {
  /** As the caller wrote it. */
  readonly path: PathBytes
}

export class FileTree {
  readonly #programs: FilePrograms

  constructor({ programs }: Parts) {
    this.#programs = programs
  }

  /** The entries of a folder. Throws `FILE_NOT_FOUND`, `OUTSIDE_HOME` and `FILE_REFUSED`. */
  list(request: FolderRequest): Promise<Readable> {
    return this.#stream(request, 'tree', TREE_ENTRIES_MAX, entriesLine)
  }

  /** The files below a folder. Throws as {@link list}. */
  names(request: FolderRequest): Promise<Readable> {
    return this.#stream(request, 'names', NAMES_MAX, namesLine)
  }

  /** The version of each path, percent-encoded where needed; null where there is no such file or folder. */
  async versions(asked: Asked, paths: readonly string[]): Promise<(string | null)[]> {
    if (paths.length > VERSION_PATHS_MAX) throw new AppError('VALIDATION', 'paths: are too many.')
    const argv = scriptArgv('versions', ...paths.map((path) => octalEscaped(toHomePath(decoded(path)))))
    const bounds = { timeoutMs: VERSIONS_MS, maxOutputBytes: paths.length * (VERSION_CHARS + 1) }
    const lines = (await this.#programs.run(asked, argv, null, bounds)).toString('latin1').split('\n')
    if (lines.length !== paths.length + 1) throw somethingElse()
    return lines.slice(0, -1).map((line) => (isVersion(line) ? line : null))
  }

  async #stream(
    { path, ...asked }: FolderRequest,
    script: 'tree' | 'names',
    max: number,
    lineOf: (records: readonly string[]) => ListLine,
  ): Promise<Readable> {
    const argv = scriptArgv(script, octalEscaped(toHomePath(path)), String(max + 1))
    const { program, end } = await this.#programs.start(asked, argv, null)
    try {
      const batches = recordsOf(program.output, { separator: '\0', maxBytes: PATH_BYTES + 2 })
      const first = await batches.next()
      if (first.done === true) throw failureOf((await program.exit).exitCode)
      const [real = '', ...records] = first.value
      const folder = {
        type: 'folder',
        ...namedBy(real),
        ...(script === 'tree' && { version: versionIn(records) }),
      } as const
      if (real !== AGENT_HOME && !real.startsWith(`${AGENT_HOME}/`)) throw somethingElse()
      const beginning = { folder, records, max, lineOf }
      const lines = linesOf(batches, beginning, async () => (await program.exit).exitCode)
      return ndjsonOf(lines, end)
    } catch (error) {
      end()
      throw asAppError(error)
    }
  }
}

/** Takes the version from the records that came with the path. */
const versionIn = (records: string[]): string => {
  const version = records.shift() ?? ''
  if (!isVersion(version)) throw somethingElse()
  return version
}

interface Beginning {
  readonly folder: ListLine
  /** The records that came with it. */
  readonly records: readonly string[]
  readonly max: number
  readonly lineOf: (records: readonly string[]) => ListLine
}

async function* linesOf(
  batches: AsyncGenerator<string[], void>,
  { folder, records, max, lineOf }: Beginning,
  exitCode: () => Promise<number>,
): AsyncGenerator<ListLine, ListEnd> {
  yield folder
  let count = 0
  for (let batch: readonly string[] = records; ;) {
    const left = max - count
    if (batch.length > 0) yield lineOf(batch.slice(0, left))
    if (batch.length > left) return { type: 'end', truncated: true }
    count += batch.length
    const next = await batches.next()
    if (next.done === true) break
    batch = next.value
  }
  const code = await exitCode()
  if (code !== 0) throw failureOf(code)
  return { type: 'end', truncated: false }
}

/** The path as text, and its bytes where text would lose some. */
export const namedBy = (path: PathBytes): { path: string; encodedPath?: string } => {
  const encodedPath = encodedWhereNeeded(path)
  return { path: textOf(path), ...(encodedPath !== null && { encodedPath }) }
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = { f: 'file', d: 'folder' }

/** Parses two letters and a name. The container's output is not trusted. */
const entryOf = (record: string): TreeEntry => {
  const name = record.slice(2)
  if (name === '' || name.includes('/')) throw somethingElse()
  const encodedName = encodedWhereNeeded(name)
  return {
    name: textOf(name),
    kind: KINDS[record.charAt(0)] ?? 'other',
    ...(record.charAt(1) === 'l' && { isLink: true }),
    ...(encodedName !== null && { encodedName }),
  }
}

const entriesLine = (records: readonly string[]): ListLine => ({ type: 'entries', items: records.map(entryOf) })

const namesLine = (records: readonly string[]): ListLine => {
  const paths = records.map((record) => (record.startsWith('./') ? record.slice(2) : record))
  if (paths.some((path) => path === '' || path.startsWith('/'))) throw somethingElse()
  const encoded = paths.flatMap((path) => encodedWhereNeeded(path) ?? [])
  const items = paths.filter((path) => encodedWhereNeeded(path) === null).map(textOf)
  return { type: 'names', items, ...(encoded.length > 0 && { encodedItems: encoded }) }
}

const somethingElse = (): RuntimeError => new RuntimeError('engine_error', 'the script answered something else')
