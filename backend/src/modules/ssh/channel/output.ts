/** What the server sends on a channel: one piece after another, and no more than the client takes. */
import type { Socket } from 'node:net'
import type { ServerChannel } from 'ssh2'
import type { OutputName } from '../../../runtime/program.ts'
import { OUTPUT_QUEUE_BYTES } from '../limits.ts'
import { forgetWaitingWrites } from './ssh2-gaps.ts'

/** What produces output, and can be made to wait. */
export interface Source {
  pause(): void
  resume(): void
}

/**
 * The room in the socket of a connection. A client may allow a channel any number of bytes and then not read, and ssh2 writes
 * what is allowed.
 */
export class SocketRoom {
  readonly #socket: Socket
  #waiting: (() => void)[] = []

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('drain', () => {
      for (const go of this.#waiting.splice(0)) go()
    })
  }

  /** Whether more may be sent now. If not, `go` is called once it may. */
  isFree(go: () => void): boolean {
    if (!this.#socket.writableNeedDrain) return true
    this.#waiting.push(go)
    return false
  }
}

interface Piece {
  readonly from: OutputName
  readonly chunk: Uint8Array
  readonly sent: (() => void) | undefined
}

export class ChannelOutput {
  readonly #channel: ServerChannel
  readonly #room: SocketRoom
  readonly #source: Source
  #pieces: Piece[] = []
  #bytes = 0
  #isWriting = false
  #isWaiting = false
  #isPaused = false
  #isClosed = false
  #flushed: (() => void)[] = []

  constructor(channel: ServerChannel, room: SocketRoom, source: Source) {
    this.#channel = channel
    this.#room = room
    this.#source = source
    // A write after the client has closed the channel is no failure of the server.
    for (const stream of [channel, channel.stderr]) stream.on('error', () => undefined)
  }

  /** Sends a piece; `sent` is called once ssh2 has it no more. */
  push(from: OutputName, chunk: Uint8Array, sent?: () => void): void {
    if (this.#isClosed) return sent?.()
    this.#pieces.push({ from, chunk, sent })
    this.#bytes += chunk.length
    if (this.#bytes >= OUTPUT_QUEUE_BYTES && !this.#isPaused) {
      this.#isPaused = true
      this.#source.pause()
    }
    this.#next()
  }

  /** Resolves when everything was sent, or when it is closed. */
  flushed(): Promise<void> {
    if (this.#isClosed || (this.#pieces.length === 0 && !this.#isWriting)) return Promise.resolve()
    return new Promise((resolve) => this.#flushed.push(resolve))
  }

  /** Drops what waits and what follows. The source is not kept waiting. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const { sent } of this.#pieces.splice(0)) sent?.()
    this.#source.resume()
    this.#tellFlushed()
  }

  #tellFlushed(): void {
    for (const resolve of this.#flushed.splice(0)) resolve()
  }

  /** One write at a time: ssh2 loses track of two that wait. */
  #next(): void {
    if (this.#isWriting || this.#isWaiting || this.#isClosed) return
    const isFree = this.#room.isFree(() => {
      this.#isWaiting = false
      this.#next()
    })
    if (!isFree) {
      this.#isWaiting = true
      return
    }
    const piece = this.#pieces.shift()
    if (!piece) return this.#tellFlushed()
    this.#isWriting = true
    const stream = piece.from === 'stderr' ? this.#channel.stderr : this.#channel
    stream.write(piece.chunk, () => this.#written(piece))
  }

  #written({ chunk, sent }: Piece): void {
    forgetWaitingWrites(this.#channel)
    this.#isWriting = false
    this.#bytes -= chunk.length
    sent?.()
    if (this.#isPaused && this.#bytes < OUTPUT_QUEUE_BYTES / 2) {
      this.#isPaused = false
      this.#source.resume()
    }
    this.#next()
  }
}
