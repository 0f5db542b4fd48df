/**
 * Reads the journal that an earlier server wrote of a session's output after its kept screen, piece by piece, up to the
 * first gap.
 */
import { lstat, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openPieces, parseSegmentName, SEGMENT_FILE_BYTES, segmentName } from './segments.ts'

/** Offsets at which the segments of a session begin, in order. */
export const segmentsOf = async (folder: string, id: string): Promise<number[]> => {
  const names = await readdir(folder).catch(() => [])
  const found = names.map(parseSegmentName).filter((segment) => segment?.id === id)
  return found.map((segment) => segment!.from).sort((a, b) => a - b)
}

/** Removes the segments that begin before that offset. */
export const removeSegments = async (folder: string, id: string, before = Infinity): Promise<void> => {
  for (const from of (await segmentsOf(folder, id)).filter((from) => from < before))
    await rm(join(folder, segmentName(id, from)), { force: true, recursive: true })
}

interface Parts {
  readonly folder: string
  readonly keys: readonly Uint8Array[]
  readonly id: string
  /** Offset of the first byte to read, and the offset to stop at. */
  readonly from: number
  readonly to: number
}

export class Past {
  readonly #parts: Parts
  /** Offsets at which the segments begin that it reads. */
  readonly segments: readonly number[]
  #offset: number
  #index = 0
  #pieces: ReturnType<typeof openPieces> | null = null

  private constructor(parts: Parts, segments: readonly number[]) {
    this.#parts = parts
    this.segments = segments
    this.#offset = parts.from
  }

  /** Null if no segment contains the output at that offset. Removes the segments that end before it. */
  static async open(parts: Parts): Promise<Past | null> {
    const { folder, id, from } = parts
    const segments = await segmentsOf(folder, id)
    const first = segments.findLastIndex((begin) => begin <= from)
    for (const begin of segments.slice(0, Math.max(0, first)))
      await rm(join(folder, segmentName(id, begin)), { force: true }).catch(() => undefined)
    return first < 0 ? null : new Past(parts, segments.slice(first))
  }

  /** The next piece; null: there is no more without a gap. Never rejects. */
  async next(): Promise<Uint8Array<ArrayBuffer> | null> {
    for (;;) {
      this.#pieces ??= await this.#nextSegment()
      if (!this.#pieces) return null
      const { value } = this.#pieces.next()
      if (!value) this.#pieces = null
      else if (value.offset > this.#offset) return null
      else {
        const { to } = this.#parts
        const bytes = value.bytes.subarray(this.#offset - value.offset, Math.max(0, to - value.offset))
        this.#offset += bytes.length
        if (bytes.length > 0) return new Uint8Array(bytes)
      }
    }
  }

  async #nextSegment(): Promise<ReturnType<typeof openPieces> | null> {
    const { folder, id, keys } = this.#parts
    const from = this.segments[this.#index]
    if (from === undefined || from > this.#offset) return null
    this.#index += 1
    const path = join(folder, segmentName(id, from))
    const stat = await lstat(path).catch(() => null)
    const file = stat?.isFile() && stat.size <= SEGMENT_FILE_BYTES ? await readFile(path).catch(() => null) : null
    return openPieces(keys, { id, from }, file ?? Buffer.alloc(0))
  }
}
