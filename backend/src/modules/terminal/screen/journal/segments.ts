/** Output of sessions on the disk, since their kept screens: segments of sealed pieces, which the mirrors' thread writes and the next server reads. */
import { isUuid } from '../../../../lib/ids.ts'
import { SEAL_BYTES, sealInParts, unsealWithAny } from '../../../../lib/sealing.ts'

/** Longest piece, in bytes: what comes before the first segment is handed over as one. */
export const PIECE_BYTES = 1_048_576
/** A segment that has so much is followed by a new one, in bytes: what a kept screen has made superfluous goes by the segment. */
export const SEGMENT_BYTES = 4_194_304

/** Each piece is led by its length. */
const LENGTH_BYTES = 4
/** Longest segment, in bytes: that much, and one more piece. */
export const SEGMENT_FILE_BYTES = SEGMENT_BYTES + PIECE_BYTES + SEAL_BYTES + LENGTH_BYTES

/** `from` is the offset of its first byte. */
export const segmentName = (id: string, from: number): string => `${id}.${from}.output`

/** Null for the name of anything else. */
export const parseSegmentName = (name: string): { id: string; from: number } | null => {
  const [id = '', from = '', part, ...rest] = name.split('.')
  const isSegment = isUuid(id) && /^\d{1,16}$/.test(from) && part === 'output' && rest.length === 0
  return isSegment ? { id, from: Number(from) } : null
}

/** What is bound to its place: no piece stands for another one, or for another session's. */
const bindingOf = (id: string, offset: number): Buffer =>
  Buffer.from(JSON.stringify(['slipway kept output', id, offset]))

/** To be written one after the other. */
export const sealPiece = (key: Uint8Array, id: string, offset: number, bytes: Uint8Array): Buffer[] => {
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(bytes.length + SEAL_BYTES)
  return [length, ...sealInParts(key, bindingOf(id, offset), bytes)]
}

/** The pieces of a segment, as far as they are whole: the server may have been killed while it wrote the last. */
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
