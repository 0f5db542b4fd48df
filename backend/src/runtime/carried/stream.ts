/** A connection that a program in a container carries over its pipes, as a stream of Node.js. */
import { Duplex } from 'node:stream'
import {
  closeFrame,
  dataFrame,
  endFrame,
  type Frame,
  FrameError,
  PAYLOAD_BYTES,
  RECEIVED_WINDOW_BYTES,
  roomFrame,
  WINDOW_BYTES,
} from './frames.ts'

/** The pipe to a program. It is shared by all of its connections. */
export class Outlet {
  readonly #write: (bytes: Uint8Array) => boolean
  #isFull = false

  /** `write` answers false if it takes no more until it is {@link drained}. */
  constructor(write: (bytes: Uint8Array) => boolean) {
    this.#write = write
  }

  /** No data may be sent now. */
  get isFull(): boolean {
    return this.#isFull
  }

  send(bytes: Uint8Array): void {
    if (!this.#write(bytes)) this.#isFull = true
  }

  drained(): void {
    this.#isFull = false
  }
}

/** So much is consumed before the program is told, in bytes: half a window of programs of earlier versions. */
const TOLD_BYTES = 32_768

/** One connection. Both directions have a window, so a slow one delays no other. */
export class CarriedStream extends Duplex {
  readonly #number: number
  readonly #outlet: Outlet
  readonly #closed: () => void
  /** Received, and not yet told to be consumed. */
  #received = 0
  /** What the program may send, including what was received and not consumed. */
  #granted = RECEIVED_WINDOW_BYTES
  #credit = WINDOW_BYTES
  #waiting: { chunk: Buffer; done: (error?: Error | null) => void } | null = null
  #isOver = false

  constructor(number: number, outlet: Outlet, closed: () => void) {
    super({ readableHighWaterMark: RECEIVED_WINDOW_BYTES, writableHighWaterMark: WINDOW_BYTES, allowHalfOpen: true })
    this.#number = number
    this.#outlet = outlet
    this.#closed = closed
  }

  /** Takes a frame of the program. Throws a `FrameError` for one that breaks a rule. */
  takeFrame({ type, payload }: Frame): void {
    if (type === 'data') return this.#receive(payload)
    if (type === 'end') return void this.push(null)
    if (type === 'close') return this.over()
    if (type !== 'room' || payload.length !== 4) throw new FrameError('a frame that does not belong to a connection')
    this.#credit += payload.readUInt32BE(0)
    if (this.#credit > WINDOW_BYTES) throw new FrameError('more room than a window')
    this.flow()
  }

  #receive(payload: Buffer): void {
    this.#granted -= payload.length
    if (this.#granted < 0 || this.readableEnded) throw new FrameError('more data than there is room for')
    this.#received += payload.length
    this.push(payload)
  }

  /** The program has closed it, or is gone. */
  over(): void {
    this.#isOver = true
    this.destroy()
  }

  /** Sends what waits, as far as there is room. */
  flow(): void {
    while (this.#waiting && this.#credit > 0 && !this.#outlet.isFull) {
      const { chunk, done } = this.#waiting
      const piece = chunk.subarray(0, Math.min(this.#credit, PAYLOAD_BYTES))
      const rest = chunk.subarray(piece.length)
      this.#credit -= piece.length
      this.#waiting = rest.length > 0 ? { chunk: rest, done } : null
      this.#outlet.send(dataFrame(this.#number, piece))
      if (rest.length === 0) done()
    }
  }

  override _read(): void {
    if (this.#received < TOLD_BYTES) return
    this.#granted += this.#received
    this.#outlet.send(roomFrame(this.#number, this.#received))
    this.#received = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (chunk.length === 0) return done()
    this.#waiting = { chunk, done }
    this.flow()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#outlet.send(endFrame(this.#number))
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (!this.#isOver) this.#outlet.send(closeFrame(this.#number))
    this.#closed()
    waiting?.done(error ?? new FrameError('the connection is closed'))
    done(error)
  }
}
