/** The connections that programs in a container have made to its relay, as streams of Node.js. */
import { Duplex } from 'node:stream'
import {
  closeFrame,
  dataFrame,
  endFrame,
  type Frame,
  PAYLOAD_BYTES,
  RelayError,
  RelayReader,
  roomFrame,
  STREAMS_MAX,
  WINDOW_BYTES,
} from './frames.ts'
import { OPEN_COST } from './pace.ts'

/** The relay's pipes. */
export interface RelayPipes {
  /** Sends bytes to the relay. False: wait for {@link RelayStreams.drained}. */
  send(bytes: Uint8Array): boolean
  /** A program has connected. */
  connected(stream: Duplex): void
  /** The relay listens. */
  ready(): void
}

/** One connection. Both directions have a window, so a slow one delays no other. */
class RelayStream extends Duplex {
  readonly #number: number
  readonly #send: (bytes: Uint8Array) => boolean
  readonly #closed: () => void
  /** Received, and not yet told to be consumed. */
  #received = 0
  /** What the relay may send, including what was received and not consumed. */
  #granted = WINDOW_BYTES
  #credit = WINDOW_BYTES
  #waiting: { chunk: Buffer; done: (error?: Error | null) => void } | null = null
  #isOver = false

  constructor(number: number, send: (bytes: Uint8Array) => boolean, closed: () => void) {
    super({ readableHighWaterMark: WINDOW_BYTES, writableHighWaterMark: WINDOW_BYTES, allowHalfOpen: true })
    this.#number = number
    this.#send = send
    this.#closed = closed
  }

  /** Throws a `RelayError` for more than there is room for. */
  received(payload: Buffer): void {
    this.#granted -= payload.length
    if (this.#granted < 0 || this.readableEnded) throw new RelayError('more data than there is room for')
    this.#received += payload.length
    this.push(payload)
  }

  ended(): void {
    this.push(null)
  }

  hasRoom(bytes: number): void {
    this.#credit += bytes
    if (this.#credit > WINDOW_BYTES) throw new RelayError('more room than a window')
    this.flow()
  }

  /** The relay has closed it, or is gone. */
  over(): void {
    this.#isOver = true
    this.destroy()
  }

  /** Sends what waits, as far as there is room. */
  flow(): void {
    while (this.#waiting && this.#credit > 0) {
      const { chunk, done } = this.#waiting
      const piece = chunk.subarray(0, Math.min(this.#credit, PAYLOAD_BYTES))
      const rest = chunk.subarray(piece.length)
      this.#credit -= piece.length
      this.#waiting = rest.length > 0 ? { chunk: rest, done } : null
      const goesOn = this.#send(dataFrame(this.#number, piece))
      if (rest.length === 0) done()
      if (!goesOn) return
    }
  }

  override _read(): void {
    if (this.#received === 0) return
    this.#granted += this.#received
    this.#send(roomFrame(this.#number, this.#received))
    this.#received = 0
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (chunk.length === 0) return done()
    this.#waiting = { chunk, done }
    this.flow()
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#send(endFrame(this.#number))
    done()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    const waiting = this.#waiting
    this.#waiting = null
    if (!this.#isOver) this.#send(closeFrame(this.#number))
    this.#closed()
    waiting?.done(error ?? new RelayError('the connection is closed'))
    done(error)
  }
}

/** The streams of one relay. */
export class RelayStreams {
  readonly #pipes: RelayPipes
  readonly #streams = new Map<number, RelayStream>()
  readonly #reader = new RelayReader((frame) => this.#take(frame))
  /** The number of the newest stream. */
  #last = 0
  /** What the frames of this chunk cost. */
  #cost = 0

  constructor(pipes: RelayPipes) {
    this.#pipes = pipes
  }

  /** How many connections there are. */
  get size(): number {
    return this.#streams.size
  }

  /**
   * Output of the relay. Answers what it cost, for {@link Pace}. Throws a `RelayError`. Then the relay must be ended.
   */
  push(chunk: Uint8Array): number {
    this.#cost = 0
    this.#reader.push(chunk)
    return this.#cost
  }

  /** The relay takes more input. */
  drained(): void {
    for (const stream of [...this.#streams.values()]) stream.flow()
  }

  /** The relay is gone. */
  end(): void {
    for (const stream of [...this.#streams.values()]) stream.over()
  }

  #take({ type, stream: number, payload }: Frame): void {
    this.#cost += type === 'open' ? OPEN_COST : 1
    if (type === 'ready') return this.#pipes.ready()
    if (type === 'open') return this.#open(number)
    const stream = this.#streams.get(number)
    if (!stream) {
      // It was closed here, and the relay did not know yet.
      if (number <= this.#last) return
      throw new RelayError('a stream that was not opened')
    }
    if (type === 'data') stream.received(payload)
    else if (type === 'end') stream.ended()
    else if (type === 'close') stream.over()
    else {
      if (payload.length !== 4) throw new RelayError('a count that is none')
      stream.hasRoom(payload.readUInt32BE(0))
    }
  }

  #open(number: number): void {
    if (number <= this.#last) throw new RelayError('a number that was used')
    if (this.#streams.size >= STREAMS_MAX) throw new RelayError('too many streams')
    this.#last = number
    const send = (bytes: Uint8Array): boolean => this.#pipes.send(bytes)
    const stream = new RelayStream(number, send, () => this.#streams.delete(number))
    // Without a listener the error of a lost connection would end the server.
    stream.on('error', () => undefined)
    this.#streams.set(number, stream)
    this.#pipes.connected(stream)
  }
}
