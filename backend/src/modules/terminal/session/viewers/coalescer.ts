/** Joins small pieces of output: each piece costs the network and the browser more than its bytes do. */

/** Longest time that output waits, in milliseconds. */
export const COALESCE_MS = 5
/** A larger piece is sent at once, in bytes. */
const SMALL_BYTES = 4096
/** If more than this would wait, all of it is sent at once, in bytes. */
const BATCH_BYTES = 16_384

export class Coalescer {
  readonly #send: (bytes: Uint8Array) => void
  #waiting: Uint8Array[] = []
  #bytes = 0
  #lastSent = -Infinity
  #timer: NodeJS.Timeout | null = null
  #isAwaited = false

  constructor(send: (bytes: Uint8Array) => void) {
    this.#send = send
  }

  /** Call when a user types: the next output is sent at once, because they wait for it. */
  await(): void {
    this.#isAwaited = true
  }

  /** A piece that comes alone is sent at once. A piece that soon follows another waits for more. */
  push(chunk: Uint8Array): void {
    const isAlone = this.#waiting.length === 0 && performance.now() - this.#lastSent >= COALESCE_MS
    const mayWait =
      !isAlone && !this.#isAwaited && this.#bytes + chunk.length <= BATCH_BYTES && chunk.length <= SMALL_BYTES
    this.#isAwaited = false
    this.#waiting.push(chunk)
    this.#bytes += chunk.length
    if (mayWait) this.#timer ??= setTimeout(() => this.flush(), COALESCE_MS)
    else this.flush()
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    const [only] = this.#waiting
    if (only === undefined) return
    const bytes = this.#waiting.length === 1 ? only : Buffer.concat(this.#waiting)
    this.#waiting = []
    this.#bytes = 0
    this.#lastSent = performance.now()
    this.#send(bytes)
  }
}
