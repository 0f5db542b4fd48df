/** The segments of transcripts as files, plain while they are written and compressed afterwards. */
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { pipeline as pipelined } from 'node:stream/promises'
import { createZstdCompress, createZstdDecompress } from 'node:zlib'
import { isUuid } from '../../../lib/ids.ts'

const LINE_FEED = 0x0a
/** Most bytes of one read of a plain segment. */
const READ_BYTES = 65_536
const PLAIN = 'ndjson'
/** Zstandard: not larger than with gzip, much smaller where a long transcript repeats itself, and faster. */
const PACKED = 'zst'

export const nameOf = (id: string, generation: number): string => `${id}.${generation}.${PLAIN}`
const packedName = (id: string, generation: number): string => `${nameOf(id, generation)}.${PACKED}`

/** A file in the folder of the transcripts. */
interface SegmentName {
  readonly id: string
  readonly generation: number
  /** `unfinished`: a killed server was about to make it. */
  readonly form: 'plain' | 'packed' | 'unfinished'
}

/** Null if it is not the name of a segment. */
const parsed = (name: string): SegmentName | null => {
  const [id = '', digits = '', part, more, ...rest] = name.split('.')
  if (!isUuid(id) || !/^\d{1,9}$/.test(digits) || part !== PLAIN || rest.length > 0) return null
  const generation = Number(digits)
  if (more === undefined) return { id, generation, form: 'plain' }
  if (more === PACKED) return { id, generation, form: 'packed' }
  return isUuid(more) ? { id, generation, form: 'unfinished' } : null
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/** Empty if there is no folder yet. Any other failure is one: a run must not look as if it had no transcript. */
const namesIn = (folder: string): Promise<string[]> =>
  readdir(folder).catch((error: unknown) => (isMissing(error) ? [] : Promise.reject(error)))

/** The numbers of a run's segments, in order. */
export const generationsOf = async (folder: string, id: string): Promise<number[]> => {
  const found = (await namesIn(folder)).flatMap((name) => parsed(name) ?? [])
  const own = found.filter((one) => one.id === id && one.form !== 'unfinished').map(({ generation }) => generation)
  return [...new Set(own)].toSorted((one, other) => one - other)
}

/** Whether anything of the run is stored. */
export const hasTranscript = async (folder: string, id: string): Promise<boolean> =>
  (await generationsOf(folder, id)).length > 0

/**
 * How often a run has begun to start since a backend followed its program. Each backend that follows it begins a segment, and
 * repairs and takeovers have numbers, too.
 */
export const startsOf = async (folder: string, { id, generation }: Pick<SegmentName, 'id' | 'generation'>) =>
  generation - ((await generationsOf(folder, id)).at(-1) ?? 0)

/** A file of a stored transcript. */
export interface SegmentFile extends SegmentName {
  readonly path: string
  /** Its size on the disk, in bytes. */
  readonly bytes: number
  /** When it was last written to, in milliseconds since 1970. */
  readonly writtenAt: number
}

/** All files, by the run of which they are. */
export const segmentsIn = async (folder: string): Promise<Map<string, SegmentFile[]>> => {
  const byRun = new Map<string, SegmentFile[]>()
  for (const name of await namesIn(folder)) {
    const segment = parsed(name)
    if (!segment) continue
    const path = join(folder, name)
    const found = await stat(path).catch((error: unknown) => (isMissing(error) ? null : Promise.reject(error)))
    if (!found) continue
    const files = byRun.get(segment.id) ?? []
    files.push({ ...segment, path, bytes: found.size, writtenAt: found.mtimeMs })
    byRun.set(segment.id, files)
  }
  return byRun
}

/** Where a segment is read. */
interface Range {
  readonly generation: number
  /** Offsets in what was written, in bytes. */
  readonly start: number
  readonly until: number
}

/** The complete lines of a segment in this range, each with the offset behind it. Rejects if the segment is gone. */
export async function* linesOf(
  folder: string,
  id: string,
  range: Range,
): AsyncGenerator<{ readonly line: string; readonly end: number }> {
  if (range.start >= range.until) return
  let pieces: Buffer[] = []
  let at = range.start
  for await (const chunk of chunksOf(folder, id, range)) {
    let from = 0
    for (;;) {
      const feed = chunk.indexOf(LINE_FEED, from)
      if (feed === -1) break
      const rest = chunk.subarray(from, feed)
      const line = pieces.length === 0 ? rest : Buffer.concat([...pieces, rest])
      pieces = []
      at += line.length + 1
      from = feed + 1
      yield { line: line.toString('utf8'), end: at }
    }
    if (from < chunk.length) pieces.push(chunk.subarray(from))
  }
}

async function* chunksOf(folder: string, id: string, { generation, start, until }: Range): AsyncGenerator<Buffer> {
  const plain = await openIfThere(join(folder, nameOf(id, generation)))
  // The packed file is there before the plain one is removed.
  const file = plain ?? (await open(join(folder, packedName(id, generation))))
  try {
    if (plain) {
      yield* piecesOf(plain, start, until)
      return
    }
    let at = 0
    for await (const chunk of unpacked(file)) {
      const [first, end] = [Math.max(0, start - at), until - at]
      if (first < chunk.length) yield chunk.subarray(first, end)
      at += chunk.length
      if (at >= until) return
    }
  } finally {
    await file.close()
  }
}

/**
 * What a file has in this range now. Followers read a few lines at a time, and a stream would take a buffer of 64 KiB for
 * each read, and one more to find the end.
 */
async function* piecesOf(file: FileHandle, start: number, until: number): AsyncGenerator<Buffer> {
  const end = Math.min(until, (await file.stat()).size)
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, end - at))
    const { bytesRead } = await file.read({ buffer, position: at })
    if (bytesRead === 0) return
    at += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

const openIfThere = (path: string): Promise<FileHandle | null> =>
  open(path).catch((error: unknown) => (isMissing(error) ? null : Promise.reject(error)))

const unpacked = (file: FileHandle): AsyncIterable<Buffer> => {
  const output = createZstdDecompress()
  // The reader of the output gets the failures of both.
  pipeline(file.createReadStream({ start: 0, autoClose: false }), output, () => undefined)
  return output
}

/**
 * Compresses a segment that nothing writes to any more. The disk has the compressed file before the plain one is
 * removed, so a reader finds one of them at any time.
 */
export const packSegment = async (folder: string, id: string, generation: number): Promise<void> => {
  const path = join(folder, nameOf(id, generation))
  const packed = join(folder, packedName(id, generation))
  const made = `${path}.${randomUUID()}`
  try {
    // It is on the disk before it gets its name, also if the machine fails.
    const target = createWriteStream(made, { flags: 'wx', mode: 0o600, flush: true })
    await pipelined(createReadStream(path), createZstdCompress(), target)
    await rename(made, packed)
    await rm(path)
  } finally {
    await rm(made, { force: true })
  }
}
