/** The file format of a kept screen, and of its sizes since. */
import { promisify } from 'node:util'
import { constants, deflate, inflate } from 'node:zlib'
import { COLS_MAX, ROWS_MAX } from '@slipway/protocol'
import { Type } from 'typebox'
import { Check } from 'typebox/value'
import { PRINT_BYTES } from '@slipway/emulator/headless'
import type { Snapshot } from '../snapshot.ts'
import { type SizeChange, SIZES_MAX } from '../mirror/sizes.ts'

/** Longest head of a print, in bytes. */
const HEAD_BYTES = 256
/** Longest list of sizes, in bytes. */
const SIZES_BYTES = SIZES_MAX * 128

const Offset = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const Size = Type.Object({
  cols: Type.Integer({ minimum: 1, maximum: COLS_MAX }),
  rows: Type.Integer({ minimum: 1, maximum: ROWS_MAX }),
})
const Change = Type.Object({ offset: Offset, size: Size })
const Head = Type.Object({ offset: Offset, size: Size, base: Type.Optional(Offset) })
const Changes = Type.Array(Change, { maxItems: SIZES_MAX })

const NEW_LINE = 0x0a
const [compress, expand] = [promisify(deflate), promisify(inflate)]

/** Compression runs on another thread. */
export const printScreen = async ({ offset, size, data, base }: Snapshot): Promise<Buffer> => {
  const head = Buffer.from(`${JSON.stringify({ offset, size, base })}\n`)
  return compress(Buffer.concat([head, data]), { level: constants.Z_BEST_SPEED })
}

/** Null unless the bytes are from {@link printScreen}. */
export const parseScreen = async (bytes: Uint8Array): Promise<Snapshot | null> => {
  const plain = await expand(bytes, { maxOutputLength: PRINT_BYTES + HEAD_BYTES }).catch(() => null)
  const end = plain?.subarray(0, HEAD_BYTES).indexOf(NEW_LINE) ?? -1
  if (!plain || end < 0) return null
  const head = parsed(plain.subarray(0, end))
  return Check(Head, head) ? { ...head, data: plain.subarray(end + 1) } : null
}

export const printSizes = (sizes: readonly SizeChange[]): Buffer => Buffer.from(JSON.stringify(sizes))

/** Null unless the bytes are from {@link printSizes}. */
export const parseSizes = (bytes: Uint8Array): SizeChange[] | null => {
  const sizes = bytes.length > SIZES_BYTES ? null : parsed(bytes)
  return Check(Changes, sizes) ? sizes : null
}

const parsed = (bytes: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'))
  } catch {
    return null
  }
}
