/** Searches in the contents of an agent's files, with ripgrep in its container. */
import type { Readable } from 'node:stream'
import { type ListEnd, type ListLine, SEARCH_HITS_MAX, SEARCH_PER_FILE_MAX, type SearchFiles } from '@slipway/protocol'
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { asAppError } from '../../../runtime/app-error.ts'
import type { ProgramStream } from '../../../runtime/port.ts'
import { toHomePath } from '../path.ts'
import { bytesOf, octalEscaped, recordable } from '../path-bytes.ts'
import { failureOf, firstLine, scriptArgv } from '../program.ts'
import type { FilePrograms } from '../programs.ts'
import { hitsIn } from './hits.ts'
import { ndjsonOf } from './ndjson.ts'
import { recordsOf } from './records.ts'
import type { FolderRequest } from './tree.ts'

/** Longest time of a search, in milliseconds. */
const SEARCH_MS = 60 * SECOND_MS
/** Longest line of ripgrep's output, in bytes. Lines of generated files may have megabytes, and are left out. */
const LINE_BYTES = 256 * 1024
/** Largest file that is searched, in ripgrep's notation. */
const FILE_SIZE = '20M'
/** The exit code of `timeout`. */
const TIMED_OUT = 124

export class FileSearch {
  readonly #programs: Pick<FilePrograms, 'start'>

  constructor(programs: Pick<FilePrograms, 'start'>) {
    this.#programs = programs
  }

  /**
   * The lines that match, as they are found. It reads content, so it is recorded, without the pattern. Throws `VALIDATION`
   * for an invalid pattern, `NOT_OFFERED` without ripgrep, and what a list of the folder throws.
   */
  async search({ path, ...asked }: FolderRequest, wanted: SearchFiles): Promise<Readable> {
    const folder = toHomePath(path)
    const argv = scriptArgv(
      'search',
      ...[octalEscaped(folder), octalEscaped(bytesOf(wanted.pattern)), String(SEARCH_MS / SECOND_MS)],
      ...[wanted.ignored === true ? 'all' : '', ...optionsOf(wanted)],
    )
    const began = { action: 'file.searched', facts: { path: recordable(folder) } } as const
    const { program, end } = await this.#programs.start(asked, argv, began)
    try {
      await firstLine(program)
      return ndjsonOf(linesOf(program), end)
    } catch (error) {
      end()
      throw asAppError(error)
    }
  }
}

const optionsOf = ({ isRegex, matchesCase, isWord }: SearchFiles): string[] => [
  ...(isRegex === true ? [] : ['--fixed-strings']),
  matchesCase === true ? '--case-sensitive' : '--ignore-case',
  ...(isWord === true ? ['--word-regexp'] : []),
  ...['--max-count', String(SEARCH_PER_FILE_MAX), '--max-filesize', FILE_SIZE, '--threads', '2'],
]

async function* linesOf({ output, exit }: ProgramStream): AsyncGenerator<ListLine, ListEnd> {
  let [count, skipped] = [0, 0]
  const end = (truncated: boolean): ListEnd => ({ type: 'end', truncated, ...(skipped > 0 && { skipped }) })
  const rules = { separator: '\n', maxBytes: LINE_BYTES, onLong: () => void (skipped += 1) } as const
  for await (const records of recordsOf(output, rules)) {
    const hits = hitsIn(records)
    const left = SEARCH_HITS_MAX - count
    if (hits.length > 0) yield { type: 'hits', items: hits.slice(0, left) }
    if (hits.length > left) return end(true)
    count += hits.length
  }
  const { exitCode } = await exit
  if (exitCode !== 0 && exitCode !== TIMED_OUT) throw failureOf(exitCode)
  return end(exitCode === TIMED_OUT)
}
