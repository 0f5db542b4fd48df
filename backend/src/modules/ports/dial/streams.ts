/** The connections that this backend has made to ports of a container, over the program `dial` in it. */
import { SECOND_MS } from '../../../lib/time/clock.ts'
import { dialFrame, type Frame, FrameError, FrameReader, listFrame } from '../../../runtime/carried/frames.ts'
import type { Carried } from '../../../runtime/carried/open.ts'
import { Pace } from '../../../runtime/carried/pace.ts'
import { CarriedStream, Outlet } from '../../../runtime/carried/stream.ts'

/** Connections to one agent at the same time: a page opens six to its host, and a dozen pages may be open. */
export const CONNECTIONS_MAX = 128
/** Longest time until a program accepts, in milliseconds. It is on the same machine. */
const CONNECT_MS = 5 * SECOND_MS
/** Longest time until the program has listed the listeners, in milliseconds. */
const LIST_MS = 10 * SECOND_MS

/** Why there is no connection: `refused` (nothing listens), `full` (too many), `late` (not accepted), `gone` (the container). */
export class DialError extends Error {
  override readonly name = 'DialError'
  readonly code: 'refused' | 'full' | 'late' | 'gone'

  constructor(code: DialError['code']) {
    super(`no connection: ${code}`)
    this.code = code
  }
}

/** The pipes to the program. */
export interface DialPipes {
  /** False: the program takes no more until {@link DialStreams.drained}. */
  send(bytes: Uint8Array): boolean
  /** The program has started. */
  ready(): void
}

interface Dialing {
  resolve(): void
  reject(error: DialError): void
}

export class DialStreams implements Carried {
  readonly #pipes: DialPipes
  readonly #outlet: Outlet
  readonly #sent: Pace
  readonly #received: Pace
  readonly #streams = new Map<number, CarriedStream>()
  readonly #dialing = new Map<number, Dialing>()
  /** Those who wait for the next list. */
  #lists: { resolve(json: Buffer): void; reject(error: DialError): void }[] = []
  readonly #reader = new FrameReader((frame) => this.#take(frame))
  #last = 0
  #isGone = false
  /** The program takes no more. */
  #isFull = false
  /** So much was sent that the rest has to wait. */
  #resting: NodeJS.Timeout | null = null

  /** `bytesPerSecond` is for each way. A second's worth of it may pass at once. */
  constructor(pipes: DialPipes, bytesPerSecond: number) {
    const options = { perSecond: bytesPerSecond, burst: bytesPerSecond }
    this.#pipes = pipes
    this.#sent = new Pace(options)
    this.#received = new Pace(options)
    this.#outlet = new Outlet((bytes) => this.#send(bytes))
  }

  /** How many connections there are. */
  get size(): number {
    return this.#streams.size
  }

  /** Connects to a port of the container's loopback. Rejects with a {@link DialError}. */
  async connect(port: number): Promise<CarriedStream> {
    if (this.#isGone) throw new DialError('gone')
    if (this.#streams.size >= CONNECTIONS_MAX) throw new DialError('full')
    const number = (this.#last += 1)
    const stream = new CarriedStream(number, this.#outlet, () => this.#streams.delete(number))
    // Without a listener the error of a lost connection would end the server.
    stream.on('error', () => undefined)
    this.#streams.set(number, stream)
    const { promise, resolve, reject } = Promise.withResolvers<null>()
    this.#dialing.set(number, { resolve: () => resolve(null), reject })
    const timer = setTimeout(() => reject(new DialError('late')), CONNECT_MS)
    this.#outlet.send(dialFrame(number, port))
    try {
      await promise
      return stream
    } catch (error) {
      stream.destroy()
      throw error
    } finally {
      clearTimeout(timer)
      this.#dialing.delete(number)
    }
  }

  /** What the program says of listeners: JSON that a hostile container wrote. Rejects with a {@link DialError}. */
  list(): Promise<Buffer> {
    if (this.#isGone) return Promise.reject(new DialError('gone'))
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const timer = setTimeout(() => reject(new DialError('late')), LIST_MS)
    this.#lists.push({ resolve, reject })
    if (this.#lists.length === 1) this.#outlet.send(listFrame())
    return promise.finally(() => {
      clearTimeout(timer)
      this.#lists = this.#lists.filter((waiting) => waiting.resolve !== resolve)
    })
  }

  push(chunk: Uint8Array): number {
    this.#reader.push(chunk)
    return this.#received.spend(chunk.length)
  }

  drained(): void {
    this.#isFull = false
    this.#flow()
  }

  end(): void {
    this.#isGone = true
    clearTimeout(this.#resting ?? undefined)
    for (const dialing of [...this.#dialing.values()]) dialing.reject(new DialError('gone'))
    for (const stream of [...this.#streams.values()]) stream.over()
    for (const { reject } of this.#lists.splice(0)) reject(new DialError('gone'))
  }

  /** False: send no data until the next {@link #flow}. */
  #send(bytes: Uint8Array): boolean {
    if (!this.#pipes.send(bytes)) this.#isFull = true
    const restMs = this.#sent.spend(bytes.length)
    if (restMs > 0 && !this.#resting)
      this.#resting = setTimeout(() => {
        this.#resting = null
        this.#flow()
      }, restMs)
    return !this.#isFull && !this.#resting
  }

  /** Lets the connections send what waits. Those that had their turn are the last in the next one. */
  #flow(): void {
    if (this.#isFull || this.#resting || this.#isGone) return
    this.#outlet.drained()
    for (const [number, stream] of [...this.#streams]) {
      if (this.#outlet.isFull) return
      stream.flow()
      if (this.#streams.delete(number)) this.#streams.set(number, stream)
    }
  }

  #take(frame: Frame): void {
    const { type, stream: number, payload } = frame
    if (type === 'ready') return this.#pipes.ready()
    if (type === 'list') {
      for (const { resolve } of this.#lists.splice(0)) resolve(Buffer.from(payload))
      return
    }
    const stream = this.#streams.get(number)
    if (!stream) {
      // It was closed here, and the program did not know yet.
      if (number <= this.#last) return
      throw new FrameError('a stream that was not opened')
    }
    const dialing = this.#dialing.get(number)
    if (!dialing) return stream.takeFrame(frame)
    if (type === 'open') {
      // Frames of the same chunk follow before the caller goes on.
      this.#dialing.delete(number)
      return dialing.resolve()
    }
    if (type !== 'close') throw new FrameError('data before a connection')
    stream.over()
    dialing.reject(new DialError('refused'))
  }
}
