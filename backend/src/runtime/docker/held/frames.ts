/**
 * The frames between this backend and a holder (images/developer/holder/src/frames.h), which come from an exec without
 * a terminal. The container may be hostile: everything but a valid frame fails with a `FrameError`.
 */

import { constants } from 'node:os'
import type { OutputName, ProgramSignal } from '../../program.ts'
import { Demultiplexer } from '../program/demultiplexer.ts'

/** The newest version that this backend knows. An older holder sends fewer fields. A newer one is refused. */
export const PROTOCOL_VERSION = 2

const HEADER_BYTES = 4
const OFFSET_BYTES = 8
/** Longest frame of output, in bytes. Output comes in pieces of 60 KiB, and all other frames are far shorter. */
const OUTPUT_FRAME_BYTES = 65_536
const NOTICE_BYTES = 1024

/** The data is not from a holder. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** Frames of a holder other than output. */
export type Notice =
  | { readonly type: 'hello'; readonly fields: ReadonlyMap<string, string> }
  | { readonly type: 'lost'; readonly of: OutputName; readonly offset: number }
  | { readonly type: 'taken'; readonly bytes: number }
  | { readonly type: 'exit'; readonly status: number }
  | { readonly type: 'gone' }

/** Gets all frames in order. */
export interface FrameListener {
  /** `offset` is that of the first byte. */
  output(bytes: Buffer, from: OutputName, offset: number): void
  notice(notice: Notice): void
}

const frame = (type: string, payload: Buffer = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(type, 'latin1')
  header.writeUIntBE(payload.length, 1, 3)
  return Buffer.concat([header, payload])
}

/** A holder takes at most 64 KiB in one frame. */
export const inputFrame = (bytes: Uint8Array): Buffer => frame('i', Buffer.from(bytes))
export const endFrame = (): Buffer => frame('e')
/** Ends the input. */
export const inputEndFrame = (): Buffer => frame('d')

/** Signals all processes of the session. */
export const signalFrame = (name: ProgramSignal): Buffer => frame('s', Buffer.of(constants.signals[`SIG${name}`]))

export const sizeFrame = (cols: number, rows: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt16BE(cols)
  payload.writeUInt16BE(rows, 2)
  return frame('r', payload)
}

/** Output before the offset need not be kept any longer. */
export const ackFrame = (of: OutputName, offset: number): Buffer => {
  const payload = Buffer.alloc(OFFSET_BYTES)
  payload.writeBigUInt64BE(BigInt(offset))
  return frame(of === 'stdout' ? 'a' : 'A', payload)
}

/** Sets for how many seconds the holder waits while no client is attached. */
export const waitFrame = (seconds: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(seconds)
  return frame('w', payload)
}

/** Parses the exec's output. Output of the program is passed on without a copy. */
export class FrameReader {
  readonly #listener: FrameListener
  readonly #demultiplexer = new Demultiplexer((from, piece) => {
    if (from === 'stdout') this.#read(piece as Buffer)
    else this.#complaint = (this.#complaint + Buffer.from(piece).toString('latin1')).slice(0, NOTICE_BYTES)
  })
  /** Bytes of an incomplete header or notice. */
  #held: Buffer = Buffer.alloc(0)
  /** The rest of the current output frame, and the offset of its next byte. */
  #bodyLeft = 0
  #from: OutputName = 'stdout'
  #offset = 0
  #complaint = ''

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  /** The beginning of the exec's standard error: an error of the holder or the engine. */
  get complaint(): string {
    return this.#complaint.trim()
  }

  /** Throws a {@link FrameError}. Do not push after that. */
  push(chunk: Buffer): void {
    this.#demultiplexer.take(chunk)
  }

  #read(piece: Buffer): void {
    let rest = piece
    while (rest.length > 0) {
      if (this.#bodyLeft > 0) {
        const body = rest.subarray(0, this.#bodyLeft)
        rest = rest.subarray(body.length)
        this.#bodyLeft -= body.length
        this.#offset += body.length
        this.#listener.output(body, this.#from, this.#offset - body.length)
        continue
      }
      rest = this.#readFrame(this.#held.length === 0 ? rest : Buffer.concat([this.#held, rest]))
    }
  }

  /** Returns the bytes after the frame, or after the head of an output frame. Holds an incomplete frame. */
  #readFrame(bytes: Buffer): Buffer {
    this.#held = Buffer.alloc(0)
    if (bytes.length < HEADER_BYTES) return this.#hold(bytes)
    const type = String.fromCharCode(bytes[0]!)
    const length = bytes.readUIntBE(1, 3)
    if (type === 'o' || type === 'O') {
      if (length <= OFFSET_BYTES || length > OUTPUT_FRAME_BYTES) throw new FrameError('output of an impossible length')
      if (bytes.length < HEADER_BYTES + OFFSET_BYTES) return this.#hold(bytes)
      this.#from = type === 'o' ? 'stdout' : 'stderr'
      this.#offset = offsetAt(bytes, HEADER_BYTES)
      this.#bodyLeft = length - OFFSET_BYTES
      return bytes.subarray(HEADER_BYTES + OFFSET_BYTES)
    }
    if (length > NOTICE_BYTES) throw new FrameError('a notice of an impossible length')
    if (bytes.length < HEADER_BYTES + length) return this.#hold(bytes)
    const notice = toNotice(type, bytes.subarray(HEADER_BYTES, HEADER_BYTES + length))
    if (notice) this.#listener.notice(notice)
    return bytes.subarray(HEADER_BYTES + length)
  }

  #hold(bytes: Buffer): Buffer {
    this.#held = Buffer.from(bytes)
    return Buffer.alloc(0)
  }
}

const offsetAt = (bytes: Buffer, at: number): number => {
  const offset = bytes.readBigUInt64BE(at)
  if (offset > BigInt(Number.MAX_SAFE_INTEGER)) throw new FrameError('an impossible offset')
  return Number(offset)
}

/** Null for a type of a newer holder that this backend does not know. */
const toNotice = (type: string, payload: Buffer): Notice | null => {
  const expect = (length: number): void => {
    if (payload.length !== length) throw new FrameError(`a notice '${type}' of ${payload.length} bytes`)
  }
  switch (type) {
    case 'h': {
      const lines = payload.toString('latin1').split('\n').filter(Boolean)
      return { type: 'hello', fields: new Map(lines.map((line) => splitAt(line, line.indexOf('=')))) }
    }
    case 'l':
    case 'L':
      expect(OFFSET_BYTES)
      return { type: 'lost', of: type === 'l' ? 'stdout' : 'stderr', offset: offsetAt(payload, 0) }
    case 't':
      expect(OFFSET_BYTES)
      return { type: 'taken', bytes: offsetAt(payload, 0) }
    case 'x':
      expect(4)
      return { type: 'exit', status: payload.readUInt32BE(0) }
    case 'g':
      return { type: 'gone' }
    default:
      return null
  }
}

const splitAt = (line: string, at: number): [string, string] => [line.slice(0, Math.max(at, 0)), line.slice(at + 1)]
