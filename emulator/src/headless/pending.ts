/** Output of one session that was not parsed yet. Lines that would scroll away unseen may still be left out. */
import type { Emulator } from './emulator.ts'
import { canSkim, plainEnd, skim } from './skim.ts'

/** Initial size of the buffer for several pieces, in bytes. It doubles from there on. */
const CAPACITY_MIN = 1024

export class Pending {
  #buffer = Buffer.alloc(0)
  #size = 0
  /** All output before this offset only writes lines. */
  #scanned = 0
  #isPlain = true

  get size(): number {
    return this.#size
  }

  /** Whether all of the output so far only writes lines. */
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

  /** Leaves out lines that `lines` later ones follow, if the emulator allows it. */
  skim(emulator: Emulator, lines: number): void {
    const skimmed = canSkim(emulator) && skim(this.#buffer.subarray(0, this.#scanned), lines)
    if (!skimmed) return
    const { head, looks, tail } = skimmed
    // This overwrites a part of the left out bytes. `looks` is a part of them, too.
    this.#buffer.set(looks, head)
    this.#buffer.copyWithin(head + looks.length, tail, this.#size)
    const left = tail - head - looks.length
    this.#size -= left
    this.#scanned -= left
  }

  copy(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#buffer.subarray(0, this.#size))
  }

  /** Removes and returns all output. */
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
