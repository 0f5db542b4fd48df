/**
 * The transcript of a run on the disk, in segments: each backend that takes the run over begins one. An entry counts as
 * stored when the operating system has it, so it survives the death of this process.
 */
import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { type FileHandle, link, mkdir, open, readdir, rm, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isUuid } from '../../../lib/ids.ts'
import { type Entry, entryOf, type Head, headLine, headOf, lineOf } from './entry.ts'

/** Most output that waits for the disk, in UTF-16 code units. Beyond it the program is told to wait. */
export const QUEUE_MAX = 8_388_608
/** Time between two attempts to write while the disk refuses, in milliseconds. */
const RETRY_MS = 1000
const LINE_FEED = 0x0a

const nameOf = (id: string, generation: number): string => `${id}.${generation}.ndjson`

/** Null if it is not the name of a segment. */
const parsed = (name: string): { id: string; generation: number } | null => {
  const [id = '', generation = '', part, ...rest] = name.split('.')
  if (!isUuid(id) || !/^\d{1,9}$/.test(generation) || part !== 'ndjson' || rest.length > 0) return null
  return { id, generation: Number(generation) }
}

/** A place in a transcript, from which reading goes on. */
export interface Place {
  readonly generation: number
  /** Offset of the next line of that segment, in bytes. */
  readonly bytes: number
}

/** Writes the segment of this backend. */
export class TranscriptWriter {
  readonly #handle: FileHandle
  readonly #generation: number
  readonly #onFailure: (error: unknown) => void
  readonly #closing = new AbortController()
  #bytes = 0
  #queue: string[] = []
  #waiting = 0
  /** Settles when everything before the queue is written. */
  #work: Promise<void> = Promise.resolve()
  /** Settles when the queue is written; null if it is empty. */
  #batch: Promise<void> | null = null

  private constructor(handle: FileHandle, generation: number, onFailure: (error: unknown) => void) {
    this.#handle = handle
    this.#onFailure = onFailure
    this.#generation = generation
  }

  /**
   * Begins a segment. Rejects if it exists, or if the disk refuses. `onFailure` is called when a later write fails; it is
   * tried again until {@link close}.
   */
  static async begin(
    folder: string,
    id: string,
    head: Head,
    onFailure: (error: unknown) => void = () => undefined,
  ): Promise<TranscriptWriter> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const path = join(folder, nameOf(id, head.generation))
    const line = headLine(head)
    // A segment never exists without its head, which says where the earlier entries are.
    const made = `${path}.${randomUUID()}`
    try {
      await writeFile(made, line, { mode: 0o600, flag: 'wx' })
      await link(made, path)
    } finally {
      await rm(made, { force: true })
    }
    const handle = await open(path, 'a')
    const writer = new TranscriptWriter(handle, head.generation, onFailure)
    writer.#bytes = Buffer.byteLength(line)
    return writer
  }

  /** The end of what is stored. */
  get place(): Place {
    return { generation: this.#generation, bytes: this.#bytes }
  }

  /** Whether more output waits than should. */
  get isFull(): boolean {
    return this.#waiting >= QUEUE_MAX
  }

  /** Resolves when the entries are stored. Rejects only if the transcript is closed before. */
  append(entries: readonly Entry[]): Promise<void> {
    for (const entry of entries) {
      const line = lineOf(entry)
      this.#waiting += line.length
      this.#queue.push(line)
    }
    // Entries that come during a write are written together by the next one.
    if (this.#batch === null) {
      this.#batch = this.#work.then(() => this.#write())
      this.#work = this.#batch.catch(() => undefined)
    }
    return this.#batch
  }

  /** Gives up what cannot be written, and resolves when nothing is being written any more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#work
    await this.#handle.close()
  }

  async #write(): Promise<void> {
    this.#batch = null
    const text = this.#queue.join('')
    this.#queue = []
    const bytes = Buffer.from(text)
    while (!(await this.#tryToWrite(bytes))) {
      // The wait rejects when the transcript is closed.
      await delay(RETRY_MS, undefined, { signal: this.#closing.signal })
    }
    this.#bytes += bytes.length
    this.#waiting -= text.length
  }

  async #tryToWrite(bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#handle.appendFile(bytes)
      return true
    } catch (error) {
      this.#onFailure(error)
      // A part of it may be stored, and the next attempt writes all of it.
      await this.#handle.truncate(this.#bytes).catch(() => undefined)
      return false
    }
  }
}

/** Empty if there is no folder yet. Any other failure is one: a run must not look as if it had no transcript. */
const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) =>
    (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : Promise.reject(error),
  )

/** The numbers of a run's segments, in order. */
const generationsOf = async (folder: string, id: string): Promise<number[]> => {
  return (await namesIn(folder))
    .flatMap((name) => parsed(name) ?? [])
    .filter((one) => one.id === id)
    .map(({ generation }) => generation)
    .toSorted((one, other) => one - other)
}

/** The complete lines of a segment from `bytes` on, each with the offset behind it. */
async function* linesOf(path: string, bytes: number, until: number): AsyncGenerator<{ line: string; end: number }> {
  if (bytes >= until) return
  let pieces: Buffer[] = []
  let at = bytes
  // `end` is the last byte that is read.
  const chunks = createReadStream(path, { start: bytes, end: until - 1 }) as AsyncIterable<Buffer>
  for await (const chunk of chunks) {
    let from = 0
    for (;;) {
      const feed = chunk.indexOf(LINE_FEED, from)
      if (feed === -1) break
      const line = Buffer.concat([...pieces, chunk.subarray(from, feed)])
      pieces = []
      at += line.length + 1
      from = feed + 1
      yield { line: line.toString('utf8'), end: at }
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
  }
}

/** An entry, and the place behind it. */
export interface Placed {
  readonly entry: Entry
  readonly place: Place
}

/**
 * The stored entries of a run, in order, from a place on. With `until`, only those before it. It begins with the first
 * segment, and follows the heads: what an outdated backend wrote after a takeover is left out.
 */
export async function* readTranscript(
  folder: string,
  id: string,
  { from, until }: { readonly from?: Place | null; readonly until?: Place } = {},
): AsyncGenerator<Placed> {
  const generations = await generationsOf(folder, id)
  const last = until?.generation ?? generations.at(-1)
  if (last === undefined) return
  // From the last segment back, because each head names the one before it.
  const chain: { generation: number; end: number }[] = []
  for (let next: Head['after'] = { generation: last, bytes: until?.bytes ?? Infinity }; next !== null;) {
    chain.unshift({ generation: next.generation, end: next.bytes })
    const head = await headIn(join(folder, nameOf(id, next.generation)))
    next = head?.after ?? null
  }
  for (const { generation, end } of chain) {
    if (from && generation < from.generation) continue
    const path = join(folder, nameOf(id, generation))
    const start = from?.generation === generation ? from.bytes : 0
    for await (const { line, end: behind } of linesOf(path, start, end)) {
      if (start === 0 && line.startsWith('{')) continue
      yield { entry: entryOf(line), place: { generation, bytes: behind } }
    }
  }
}

const headIn = async (path: string): Promise<Head | null> => {
  for await (const { line } of linesOf(path, 0, Infinity)) return headOf(line)
  return null
}

/** The runs that have a transcript. */
export const transcriptsIn = async (folder: string): Promise<string[]> => {
  const names = await namesIn(folder)
  return [...new Set(names.flatMap((name) => parsed(name)?.id ?? []))]
}

/** Removes the segments of a run. */
export const removeTranscript = async (folder: string, id: string): Promise<void> => {
  for (const generation of await generationsOf(folder, id)) await unlink(join(folder, nameOf(id, generation)))
}
