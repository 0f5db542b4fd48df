/**
 * The frames between this backend and a holder (images/developer/holder/src/frames.h), which come out of an exec without
 * a terminal. What comes from a container is taken as hostile: anything that is no frame fails with a `FrameError`.
 */

import { constants } from 'node:os'
import type { OutputName, ProgramSignal } from '../../port.ts'
import { Demultiplexer } from '../program/demultiplexer.ts'

/** The newest version of the frames that this backend knows; an older holder says less, and a newer one is refused. */
export const PROTOCOL_VERSION = 2

const HEADER_BYTES = 4
const OFFSET_BYTES = 8
/** Output comes in pieces of 60 KiB, everything else is far shorter. */
const OUTPUT_FRAME_BYTES = 65_536
const NOTICE_BYTES = 1024

/** What came was not a holder's. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

/** What a holder says besides output. */
export type Notice =
  | { readonly type: 'hello'; readonly fields: ReadonlyMap<string, string> }
  | { readonly type: 'lost'; readonly of: OutputName; readonly offset: number }
  | { readonly type: 'taken'; readonly bytes: number }
  | { readonly type: 'exit'; readonly status: number }
  | { readonly type: 'gone' }

/** Told of everything in the order in which it came. */
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

/** At most 64 KiB are taken at once. */
export const inputFrame = (bytes: Uint8Array): Buffer => frame('i', Buffer.from(bytes))
export const endFrame = (): Buffer => frame('e')
/** After it there is no more input. */
export const inputEndFrame = (): Buffer => frame('d')

/** For all processes of the session. */
export const signalFrame = (name: ProgramSignal): Buffer => frame('s', Buffer.of(constants.signals[`SIG${name}`]))

export const sizeFrame = (cols: number, rows: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt16BE(cols)
  payload.writeUInt16BE(rows, 2)
  return frame('r', payload)
}

/** Output before the offset needs to be kept no longer. */
export const ackFrame = (of: OutputName, offset: number): Buffer => {
  const payload = Buffer.alloc(OFFSET_BYTES)
  payload.writeBigUInt64BE(BigInt(offset))
  return frame(of === 'stdout' ? 'a' : 'A', payload)
}

/** For how many seconds the holder waits for a client while none is attached. */
export const waitFrame = (seconds: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(seconds)
  return frame('w', payload)
}

/** Reads what comes over the exec's outputs. Output is passed on without being copied. */
export class FrameReader {
  readonly #listener: FrameListener
  readonly #demultiplexer = new Demultiplexer((from, piece) => {
    if (from === 'stdout') this.#read(piece as Buffer)
    else this.#complaint = (this.#complaint + Buffer.from(piece).toString('latin1')).slice(0, NOTICE_BYTES)
  })
  /** Bytes of a header or a notice that has not come whole. */
  #held: Buffer = Buffer.alloc(0)
  /** What is left of an output frame, and the offset of what comes next. */
  #bodyLeft = 0
  #from: OutputName = 'stdout'
  #offset = 0
  #complaint = ''

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  /** The beginning of what came over the other stream: what the holder, or the engine, complains of. */
  get complaint(): string {
    return this.#complaint.trim()
  }

  /** Throws a {@link FrameError}; nothing may be pushed after that. */
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

  /** Answers what comes after the frame, or after the head of an output frame; keeps what is not whole. */
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

/** Null for a kind that a newer holder may say and this backend does not know. */
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
