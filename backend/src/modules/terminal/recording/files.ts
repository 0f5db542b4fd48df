/** Where recordings are on the disk. */
import { open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { isUuid } from '../../../lib/ids.ts'
import { wholeLines } from './cast/tail.ts'

const SUFFIX = '.cast'

/** What can be read of a file: either its stream is asked for, or it is closed. */
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

  /** Only of an id that is a UUID: it becomes part of a path. */
  pathOf(id: string): string {
    if (!isUuid(id)) throw new RangeError('a recording is named by a UUID')
    return join(this.#folder, `${id}${SUFFIX}`)
  }

  /** The ids of all there are. */
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

  /** Its whole lines, to be read once: a file that is being written, or was cut, may end with a part of one. Null where there are none. */
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
