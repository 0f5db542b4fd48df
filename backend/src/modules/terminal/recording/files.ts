/** The files of recordings on the disk. */
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isUuid } from '../../../lib/ids.ts'
import { wholeLines } from './cast/tail.ts'

const SUFFIX = '.cast'

/** The readable part of a file. Call either `stream` or `close`. */
export interface WholeLines {
  /** In bytes. */
  readonly size: number
  stream(): Readable
  close(): Promise<void>
}

export class RecordingFiles {
  readonly #folder: string

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'recordings')
  }

  /** The id must be a UUID, because it becomes part of a path. */
  pathOf(id: string): string {
    if (!isUuid(id)) throw new RangeError('a recording is named by a UUID')
    return join(this.#folder, `${id}${SUFFIX}`)
  }

  /** The ids of all files. */
  async ids(): Promise<string[]> {
    const names = await readdir(this.#folder).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      throw error
    })
    const ids = names.filter((name) => name.endsWith(SUFFIX)).map((name) => name.slice(0, -SUFFIX.length))
    return ids.filter(isUuid)
  }

  async has(id: string): Promise<boolean> {
    const found = await stat(this.pathOf(id)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    })
    return found !== null
  }

  async remove(id: string): Promise<void> {
    await rm(this.pathOf(id), { force: true })
  }

  /**
   * The whole lines of a file, to be read once. If it is being written, or was cut, its last line may be incomplete.
   * Null if it has none.
   */
  async read(id: string): Promise<WholeLines | null> {
    const file = await open(this.pathOf(id), 'r').catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    })
    if (!file) return null
    const size = wholeLines(file.fd)
    if (size === 0) {
      await file.close()
      return null
    }
    return {
      size,
      stream: () => file.createReadStream({ start: 0, end: size - 1 }),
      close: () => file.close(),
    }
  }
}
