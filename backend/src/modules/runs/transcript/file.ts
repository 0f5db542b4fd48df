/**
 * The transcript of a run on the disk, in segments: each backend that takes the run over begins one. An entry counts as
 * stored when the operating system has it, so it survives the death of this process.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Entry, entryOf, type Head, headLine, headOf, lineOf } from './entry.ts'
import { generationsOf, linesOf, nameOf } from './segment.ts'

/** Most output that waits for the disk, in UTF-16 code units. Beyond it the program is told to wait. */
export const QUEUE_MAX = 8_388_608
/** Time between two attempts to write while the disk refuses, in milliseconds. */
const RETRY_MS = 1000

/** A position in a transcript, from which reading goes on. */
export interface TranscriptPosition {
  readonly generation: number
  /** Offset of the next line of that segment, in bytes. */
  readonly bytes: number
}

/** Makes a segment with this text, at once, and answers its path. Rejects if it exists, or if the disk refuses. */
export const writeSegment = async (folder: string, id: string, generation: number, text: string): Promise<string> => {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, nameOf(id, generation))
  // A segment never exists without its head, which says where the earlier entries are.
  const made = `${path}.${randomUUID()}`
  try {
    await writeFile(made, text, { mode: 0o600, flag: 'wx' })
    await link(made, path)
  } finally {
    await rm(made, { force: true })
  }
  return path
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
    const line = headLine(head)
    const path = await writeSegment(folder, id, head.generation, line)
    const handle = await open(path, 'a')
    const writer = new TranscriptWriter(handle, head.generation, onFailure)
    writer.#bytes = Buffer.byteLength(line)
    return writer
  }

  /** The end of what is stored. */
  get place(): TranscriptPosition {
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

/** An entry, and the place behind it. */
export interface Placed {
  readonly entry: Entry
  readonly place: TranscriptPosition
}

/** Which part of a transcript is read. */
export interface Part {
  readonly from?: TranscriptPosition | null
  /** Only what is before it. */
  readonly until?: TranscriptPosition
  /** The last segment, if the caller knows it. Then the folder is not listed. */
  readonly last?: number | undefined
}

/**
 * The stored entries of a run, in order. It begins with the first segment, and follows the heads: what an outdated
 * backend wrote after a takeover is left out.
 */
export async function* readTranscript(
  folder: string,
  id: string,
  { from, until, last: known }: Part = {},
): AsyncGenerator<Placed> {
  const last = until?.generation ?? known ?? (await generationsOf(folder, id)).at(-1)
  if (last === undefined) return
  // From the last segment back, because each head names the one before it.
  const chain: { generation: number; end: number }[] = []
  let next: Head['after'] = { generation: last, bytes: until?.bytes ?? Infinity }
  while (next !== null && next.generation >= (from?.generation ?? 0)) {
    const { generation }: Pick<TranscriptPosition, 'generation'> = next
    chain.unshift({ generation, end: next.bytes })
    next = generation === from?.generation ? null : ((await headIn(folder, id, generation))?.after ?? null)
  }
  for (const { generation, end } of chain) {
    const start = from?.generation === generation ? from.bytes : 0
    for await (const { line, end: behind } of linesOf(folder, id, { generation, start, until: end })) {
      if (start === 0 && line.startsWith('{')) continue
      yield { entry: entryOf(line), place: { generation, bytes: behind } }
    }
  }
}

/** The number of the last event that is stored; 0 if there is none. */
export const lastSeqIn = async (folder: string, id: string): Promise<number> => {
  let seq = 0
  for await (const { entry } of readTranscript(folder, id)) seq = entry.events.at(-1)?.seq ?? seq
  return seq
}

const headIn = async (folder: string, id: string, generation: number): Promise<Head | null> => {
  for await (const { line } of linesOf(folder, id, { generation, start: 0, until: Infinity })) return headOf(line)
  return null
}
