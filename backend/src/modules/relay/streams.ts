/** The connections that programs in a container have made to its relay, as streams of Node.js. */
import type { Duplex } from 'node:stream'
import type { Carried } from '../../runtime/carried/open.ts'
import { type Frame, FrameError, FrameReader } from '../../runtime/carried/frames.ts'
import type { Pace } from '../../runtime/carried/pace.ts'
import { CarriedStream, Outlet } from '../../runtime/carried/stream.ts'
import { OPEN_COST } from './pace.ts'

/** Connections of one relay at the same time. */
export const STREAMS_MAX = 32

/** The relay's pipes. */
export interface RelayPipes {
  /** Sends bytes to the relay. False: wait for {@link RelayStreams.drained}. */
  send(bytes: Uint8Array): boolean
  /** A program has connected. */
  connected(stream: Duplex): void
  /** The relay listens. */
  ready(): void
}

/** The streams of one relay. */
export class RelayStreams implements Carried {
  readonly #pipes: RelayPipes
  readonly #outlet: Outlet
  readonly #pace: Pick<Pace, 'spend'>
  readonly #streams = new Map<number, CarriedStream>()
  readonly #reader = new FrameReader((frame) => this.#take(frame))
  /** The number of the newest stream. */
  #last = 0
  /** What the frames of this chunk cost. */
  #cost = 0

  constructor(pipes: RelayPipes, pace: Pick<Pace, 'spend'>) {
    this.#pipes = pipes
    this.#pace = pace
    this.#outlet = new Outlet((bytes) => pipes.send(bytes))
  }

  /** How many connections there are. */
  get size(): number {
    return this.#streams.size
  }

  push(chunk: Uint8Array): number {
    this.#cost = 0
    this.#reader.push(chunk)
    return this.#pace.spend(this.#cost)
  }

  /** The relay takes more input. */
  drained(): void {
    this.#outlet.drained()
    for (const stream of [...this.#streams.values()]) stream.flow()
  }

  /** The relay is gone. */
  end(): void {
    for (const stream of [...this.#streams.values()]) stream.over()
  }

  #take(frame: Frame): void {
    const { type, stream: number } = frame
    this.#cost += type === 'open' ? OPEN_COST : 1
    if (type === 'ready') return this.#pipes.ready()
    if (type === 'open') return this.#open(number)
    const stream = this.#streams.get(number)
    if (!stream) {
      // It was closed here, and the relay did not know yet.
      if (number <= this.#last) return
      throw new FrameError('a stream that was not opened')
    }
    stream.takeFrame(frame)
  }

  #open(number: number): void {
    if (number <= this.#last) throw new FrameError('a number that was used')
    if (this.#streams.size >= STREAMS_MAX) throw new FrameError('too many streams')
    this.#last = number
    const stream = new CarriedStream(number, this.#outlet, () => this.#streams.delete(number))
    // Without a listener the error of a lost connection would end the server.
    stream.on('error', () => undefined)
    this.#streams.set(number, stream)
    this.#pipes.connected(stream)
  }
}
