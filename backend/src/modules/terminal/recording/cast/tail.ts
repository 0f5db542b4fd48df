/** Reads the end of a file that may end in the middle of a line. */
import { fstatSync, readSync } from 'node:fs'
import { type Position, readPosition } from './lines.ts'

/** Longer than the longest line: 64 KiB of output, of which each byte may take six. */
const TAIL_BYTES = 524_288
const NEWLINE = 0x0a

interface Tail {
  readonly bytes: Buffer
  /** Offset of the first byte in the file. */
  readonly from: number
}

const readTail = (fd: number): Tail => {
  const { size } = fstatSync(fd)
  const from = Math.max(0, size - TAIL_BYTES)
  const bytes = Buffer.alloc(size - from)
  const read = readSync(fd, bytes, 0, bytes.length, from)
  return { bytes: bytes.subarray(0, read), from }
}

/** Length of the file up to the end of its last whole line. */
export const wholeLines = (fd: number): number => {
  const { bytes, from } = readTail(fd)
  return from + bytes.lastIndexOf(NEWLINE) + 1
}

/** The last position in the file, and the file's length up to there; null: there is none. */
export const lastPosition = (fd: number): (Position & { readonly length: number }) | null => {
  const { bytes, from } = readTail(fd)
  let end = bytes.lastIndexOf(NEWLINE)
  while (end > 0) {
    const start = bytes.lastIndexOf(NEWLINE, end - 1)
    const position = readPosition(bytes.toString('latin1', start + 1, Math.min(end, start + 64)))
    if (position) return { ...position, length: from + end + 1 }
    end = start
  }
  return null
}
