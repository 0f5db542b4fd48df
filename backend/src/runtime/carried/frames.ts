/**
 * The frames between this backend and a program in a container that carries connections (images/developer/relay/src/frames.h).
 * The container may be hostile: everything but a valid frame fails with a `FrameError`.
 */

/** Longest payload of a frame, in bytes. */
export const PAYLOAD_BYTES = 16_384
/** What one side sends of a stream before the other has told that it was consumed, in bytes. */
export const WINDOW_BYTES = 65_536
/** The same for what the program sends, in bytes. Each acknowledgement passes the engine, so it is more. */
export const RECEIVED_WINDOW_BYTES = 262_144
const HEADER_BYTES = 7

/** The data is not from such a program. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
}

const TYPES = {
  r: 'ready',
  o: 'open',
  d: 'data',
  e: 'end',
  c: 'close',
  w: 'room',
  p: 'dial',
  l: 'list',
} as const

/** `stream` is the number of a connection. Only `data`, `room`, `dial` and `list` have a payload. */
export interface Frame {
  readonly type: (typeof TYPES)[keyof typeof TYPES]
  readonly stream: number
  readonly payload: Buffer
}

const isType = (letter: string): letter is keyof typeof TYPES => Object.hasOwn(TYPES, letter)

const frame = (letter: keyof typeof TYPES, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer => {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write(letter, 'latin1')
  header.writeUInt32BE(stream, 1)
  header.writeUInt16BE(payload.length, 5)
  return Buffer.concat([header, payload])
}

/** At most {@link PAYLOAD_BYTES}. */
export const dataFrame = (stream: number, payload: Uint8Array): Buffer => frame('d', stream, payload)
/** No more data of this stream comes. */
export const endFrame = (stream: number): Buffer => frame('e', stream)
/** Nothing of this stream is sent or expected any more. */
export const closeFrame = (stream: number): Buffer => frame('c', stream)
/** So many bytes more were consumed. */
export const roomFrame = (stream: number, bytes: number): Buffer => {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(bytes)
  return frame('w', stream, payload)
}

/** Connects a new stream to a port of the container's loopback. */
export const dialFrame = (stream: number, port: number): Buffer => {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(port)
  return frame('p', stream, payload)
}
/** Asks what listens in the container. */
export const listFrame = (): Buffer => frame('l', 0)

/** Splits the output of a program into frames. It holds less than one frame. */
export class FrameReader {
  readonly #listener: (frame: Frame) => void
  #held: Buffer = Buffer.alloc(0)

  constructor(listener: (frame: Frame) => void) {
    this.#listener = listener
  }

  /** Throws a {@link FrameError}. Do not push after that. */
  push(chunk: Uint8Array): void {
    let rest: Buffer = Buffer.concat([this.#held, chunk])
    while (rest.length >= HEADER_BYTES) {
      const letter = rest.toString('latin1', 0, 1)
      const length = rest.readUInt16BE(5)
      if (!isType(letter)) throw new FrameError('a frame of an unknown type')
      if (length > PAYLOAD_BYTES) throw new FrameError('a frame that is too long')
      const end = HEADER_BYTES + length
      if (rest.length < end) break
      this.#listener({ type: TYPES[letter], stream: rest.readUInt32BE(1), payload: rest.subarray(HEADER_BYTES, end) })
      rest = rest.subarray(end)
    }
    this.#held = Buffer.from(rest)
  }
}
