/**
 * The format of the journals on the disk: segments of sealed pieces. The mirrors' thread writes them, and the next
 * server reads them.
 */
import { isUuid } from '../../../../lib/ids.ts'
import { SEAL_BYTES, sealInParts, unsealWithAny } from '../../../../lib/secrets/sealing.ts'

/** Longest piece, in bytes. The output before the first segment arrives as one piece of at most this size. */
export const PIECE_BYTES = 1_048_576
/** A segment of this size is followed by a new one, in bytes. After a screen was kept, whole segments are removed. */
export const SEGMENT_BYTES = 4_194_304

/** Size of the length before each piece, in bytes. */
const LENGTH_BYTES = 4
/** Longest segment, in bytes: a full one, and one more piece. */
export const SEGMENT_FILE_BYTES = SEGMENT_BYTES + PIECE_BYTES + SEAL_BYTES + LENGTH_BYTES

/** Name of a segment; `from` is the offset of its first byte. */
export const segmentName = (id: string, from: number): string => `${id}.${from}.output`

/** Null if it is not the name of a segment. */
export const parseSegmentName = (name: string): { id: string; from: number } | null => {
  const [id = '', from = '', part, ...rest] = name.split('.')
  const isSegment = isUuid(id) && /^\d{1,16}$/.test(from) && part === 'output' && rest.length === 0
  return isSegment ? { id, from: Number(from) } : null
}

/** Binds a piece to its session and offset, so that it cannot be moved to another place. */
const bindingOf = (id: string, offset: number): Buffer =>
  Buffer.from(JSON.stringify(['slipway kept output', id, offset]))

/** The parts of a sealed piece, to be written one after the other. */
export const sealPiece = (key: Uint8Array, id: string, offset: number, bytes: Uint8Array): Buffer[] => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length + SEAL_BYTES)
  return [length, ...sealInParts(key, bindingOf(id, offset), bytes)]
}

/**
 * The intact pieces of a segment, up to the first damaged one. If the server was killed, the last piece may be
 * incomplete.
 */
export function* openPieces(
  keys: readonly Uint8Array[],
  { id, from }: { id: string; from: number },
  file: Buffer,
): Generator<{ offset: number; bytes: Buffer<ArrayBuffer> }, void> {
  let offset = from
  for (let at = 0; at + LENGTH_BYTES <= file.length;) {
    const end = at + LENGTH_BYTES + file.readUInt32BE(at)
    if (end > file.length || end - at > LENGTH_BYTES + PIECE_BYTES + SEAL_BYTES) return
    const sealed = file.subarray(at + LENGTH_BYTES, end)
    const bytes = unsealWithAny(keys, bindingOf(id, offset), sealed)
    if (!bytes) return
    yield { offset, bytes }
    offset += bytes.length
    at = end
  }
}
