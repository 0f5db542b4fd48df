/** What one client is sent: frames, output and screens. It counts how far the client is behind the program. */
import { PROTOCOL_VERSION, type ServerFrame } from '@slipway/protocol'
import type { WebSocket } from 'ws'
import { print } from './frames.ts'
import type { Snapshot } from './screen/snapshot.ts'
import { Coalescer } from './session/viewers/coalescer.ts'

export class Delivery {
  /** The protocol's version that the client speaks: 1 until its first message says otherwise. */
  version = 1
  readonly #socket: Pick<WebSocket, 'send' | 'bufferedAmount'>
  readonly #flushed: () => void
  readonly #output: Coalescer
  /** Offsets of the output: up to where it was sent, and up to where the client has acknowledged it. */
  #sent = 0
  #acknowledged = 0
  /** Bytes of screens that are under way. The program does not wait for these. */
  #screenBytes = 0

  /** `flushed` is called whenever the system has accepted output or a screen. */
  constructor(socket: Pick<WebSocket, 'send' | 'bufferedAmount'>, flushed: () => void) {
    this.#socket = socket
    this.#flushed = flushed
    this.#output = new Coalescer((bytes) => this.#socket.send(bytes, { binary: true }, this.#flushed))
  }

  /** Whether the client speaks version 1, which has no acknowledgements and few frames. */
  get isPlain(): boolean {
    return this.version < PROTOCOL_VERSION
  }

  /**
   * How much output is under way, in bytes. A client of version 2 acknowledges what it has parsed. For others only the
   * server's end of the socket is known.
   */
  get backlog(): number {
    const held = this.#socket.bufferedAmount - this.#screenBytes
    return this.isPlain ? held : Math.max(this.#sent - this.#acknowledged, held)
  }

  /** The client has all output before `offset`. */
  begin(offset: number): void {
    this.#sent = this.#acknowledged = offset
  }

  /** Handles an acknowledgement. Ignores an offset beyond what was sent, or below the last one: the client is wrong. */
  acknowledge(offset: number): void {
    if (offset > this.#acknowledged && offset <= this.#sent) this.#acknowledged = offset
  }

  /** Sends output, small pieces of it together. */
  output(chunk: Uint8Array): void {
    this.#sent += chunk.length
    this.#output.push(chunk)
  }

  /** The next output is sent at once, because a user waits for it. */
  await(): void {
    this.#output.await()
  }

  /** Sends the output that still waits for more. */
  flush(): void {
    this.#output.flush()
  }

  /**
   * Sends a screen, after which `replay` bytes of earlier output follow. A client of version 1 gets the same bytes as
   * output. They begin with a full reset.
   */
  screen({ offset, size, data }: Snapshot, replay: number): void {
    this.#output.flush()
    this.begin(offset)
    this.say({ type: 'snapshot', bytes: data.length, offset, ...size, replay })
    if (data.length === 0) return
    this.#screenBytes += data.length
    this.#socket.send(data, { binary: true }, () => {
      this.#screenBytes -= data.length
      this.#flushed()
    })
  }

  /** Sends a frame that clients of version 1 do not know; these get nothing. */
  say(frame: ServerFrame): void {
    if (!this.isPlain) this.#socket.send(print(frame))
  }
}
