/** Input on its way to one socket: in frames that the server takes, and never more under way than it allows. */

/** Largest frame that the server takes, in bytes. */
const FRAME_BYTES_MAX = 65_536
/** When so much input waits here, the keyboard is not read, in bytes. */
export const WAITING_BYTES_MAX = 1024 * 1024

export class TypedInput {
  readonly #send: (bytes: Uint8Array) => void
  /** Called when input waits no more, after {@link push} has answered false. */
  readonly #onRoom: () => void
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #sent = 0
  #taken = 0
  #window: number

  constructor(window: number, send: (bytes: Uint8Array) => void, onRoom: () => void) {
    this.#window = window
    this.#send = send
    this.#onRoom = onRoom
  }

  /** Whether there is input that was not sent. */
  get isWaiting(): boolean {
    return this.#waitingBytes > 0
  }

  /** Takes all of it. False: wait for the call of `onRoom` before the next. */
  push(bytes: Buffer): boolean {
    this.#waiting.push(bytes)
    this.#waitingBytes += bytes.length
    this.#flush()
    return this.#waitingBytes < WAITING_BYTES_MAX
  }

  /** The server says that the first `bytes` bytes of this socket wait no more. */
  taken(bytes: number): void {
    this.#taken = Math.max(this.#taken, Math.min(bytes, this.#sent))
    const wasFull = this.#waitingBytes >= WAITING_BYTES_MAX
    this.#flush()
    if (wasFull && this.#waitingBytes < WAITING_BYTES_MAX) this.#onRoom()
  }

  #flush(): void {
    for (;;) {
      const [first] = this.#waiting
      const room = Math.min(FRAME_BYTES_MAX, this.#window - (this.#sent - this.#taken))
      if (first === undefined || room <= 0) return
      const frame = first.subarray(0, room)
      if (frame.length === first.length) this.#waiting.shift()
      else this.#waiting[0] = first.subarray(frame.length)
      this.#sent += frame.length
      this.#waitingBytes -= frame.length
      this.#send(frame)
    }
  }
}
