/** Output of one session that was not parsed yet: what would scroll away unseen may still be left out of it. */
import type { Emulator } from './emulator.ts'
import { canSkim, plainEnd, skim } from './skim.ts'

/** What it begins with once there is more than one piece, in bytes; it doubles from there on. */
const CAPACITY_MIN = 1024

export class Pending {
  #buffer = Buffer.alloc(0)
  #size = 0
  /** Everything before it only writes lines. */
  #scanned = 0
  #isPlain = true

  get size(): number {
    return this.#size
  }

  /** Whether all of it only writes lines, as far as it has come. */
  get isPlain(): boolean {
    return this.#isPlain
  }

  push(bytes: Uint8Array<ArrayBuffer>): void {
    this.#append(bytes)
    if (!this.#isPlain) return
    const { end, isOpen } = plainEnd(this.#buffer.subarray(0, this.#size), this.#scanned)
    this.#scanned = end
    this.#isPlain = isOpen
  }

  /** Leaves out what `lines` later lines follow, where the emulator that is to parse it allows that. */
  skim(emulator: Emulator, lines: number): void {
    const skimmed = canSkim(emulator) && skim(this.#buffer.subarray(0, this.#scanned), lines)
    if (!skimmed) return
    const { head, looks, tail } = skimmed
    // What is copied over is what is left out, of which the looks are a part.
    this.#buffer.set(looks, head)
    this.#buffer.copyWithin(head + looks.length, tail, this.#size)
    const left = tail - head - looks.length
    this.#size -= left
    this.#scanned -= left
  }

  copy(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer.subarray(0, this.#size))
  }

  /** All of it, which is gone here then. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#size)
    this.#buffer = Buffer.alloc(0)
    this.#size = this.#scanned = 0
    this.#isPlain = true
    return bytes
  }

  #append(bytes: Uint8Array<ArrayBuffer>): void {
    const size = this.#size + bytes.length
    if (this.#size === 0) this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    else {
      if (size > this.#buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(CAPACITY_MIN, 2 * size))
        larger.set(this.#buffer.subarray(0, this.#size))
        this.#buffer = larger
      }
      this.#buffer.set(bytes, this.#size)
    }
    this.#size = size
  }
}
