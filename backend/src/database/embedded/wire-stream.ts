/** Stands where `pg` expects a TCP socket, and speaks to the database's thread instead. */
import { Duplex } from 'node:stream'

/** The wire protocol's message "Terminate", an ASCII X. */
const TERMINATE = 0x58
/** Bytes of a message's length field, and of the type byte before it that all but the first message have. */
const LENGTH_BYTES = 4
const TYPE_BYTES = 1

/** Takes whole messages of one connection away from `pg`. */
export type SendMessage = (message: Uint8Array<ArrayBuffer>) => void

/** Cuts what `pg` writes into messages. What comes back is given to {@link receive}. */
export class WireStream extends Duplex {
  #pending: Buffer = Buffer.alloc(0)
  #started = false
  readonly #send: SendMessage

  constructor(send: SendMessage) {
    super()
    this.#send = send
  }

  /** An answer of the database. */
  receive(data: Uint8Array): void {
    this.push(data)
  }

  /** `pg` calls what it would call on a socket. */
  connect(): this {
    queueMicrotask(() => this.emit('connect'))
    return this
  }
  setNoDelay(): this {
    return this
  }
  setKeepAlive(): this {
    return this
  }
  ref(): this {
    return this
  }
  unref(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk])
    for (let message = this.#next(); message; message = this.#next()) {
      // The thread serves the next connection too, so the end of one is not told to it.
      if (this.#started && message[0] === TERMINATE) this.push(null)
      else this.#send(message)
      this.#started = true
    }
    done()
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  /** The next whole message. The length field counts itself and what follows, not the type. */
  #next(): Uint8Array<ArrayBuffer> | null {
    const type = this.#started ? TYPE_BYTES : 0
    if (this.#pending.length < type + LENGTH_BYTES) return null
    const length = type + this.#pending.readInt32BE(type)
    if (this.#pending.length < length) return null
    const message = new Uint8Array(this.#pending.subarray(0, length))
    this.#pending = this.#pending.subarray(length)
    return message
  }
}
