/**
 * Escapes bytes for the inside of a JSON string. Each byte is handled by itself, because JSON escapes none of those
 * that UTF-8 uses beyond ASCII. It is WebAssembly, which checks sixteen bytes at once ([escape.wat](escape.wat)). A
 * loop in JavaScript takes four times as long for plain lines, and ten times for colours.
 */
import { readFileSync } from 'node:fs'

/** Most bytes that one byte becomes: `\u0000`. */
export const ESCAPED_BYTES_MAX = 6

/** How much is copied in, escaped and copied out at once, in bytes: small enough for the processor's cache. */
const PIECE_BYTES = 16_384
/** The module reads and writes up to this many bytes beyond the end of a piece. */
const SLACK_BYTES = 16
const ENTRY_BYTES = 8
const INPUT_AT = 256 * ENTRY_BYTES
const OUTPUT_AT = INPUT_AT + PIECE_BYTES + SLACK_BYTES

/** The part of WebAssembly's types that is used here. TypeScript has them only for browsers. */
interface Module {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly escape: (from: number, end: number, to: number) => number
}
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Module }
}

const code = readFileSync(new URL('escape.wasm', import.meta.url))
const { memory, escape } = new WebAssembly.Instance(new WebAssembly.Module(code)).exports
const room = Buffer.from(memory.buffer)

for (let byte = 0; byte < 256; byte++) {
  const at = byte * ENTRY_BYTES
  room[at + ENTRY_BYTES - 1] = room.write(JSON.stringify(String.fromCharCode(byte)).slice(1, -1), at, 'latin1')
}

/**
 * Writes the escaped `bytes` into `to` from `at` on. There has to be room for {@link ESCAPED_BYTES_MAX} for each byte.
 * Returns where they end.
 */
export const writeEscaped = (bytes: Uint8Array, to: Buffer, at: number): number => {
  let next = at
  for (let index = 0; index < bytes.length; index += PIECE_BYTES) {
    const piece = bytes.subarray(index, index + PIECE_BYTES)
    room.set(piece, INPUT_AT)
    const end = escape(INPUT_AT, INPUT_AT + piece.length, OUTPUT_AT)
    next += room.copy(to, next, OUTPUT_AT, end)
  }
  return next
}
