/** Passes a file's bytes on. It stops a transfer that exceeds its announced size, or that stalls. */
import { Transform, type TransformCallback } from 'node:stream'
import { SECOND_MS } from '../../lib/time/clock.ts'

/** Longest pause without a byte before a transfer fails, in milliseconds. */
export const IDLE_MS = 60 * SECOND_MS

export interface MeterOptions {
  /** The exact size in bytes; null if unknown. */
  readonly size: number | null
  /** Called after the last byte. Its rejection becomes the stream's error. */
  readonly complete: () => Promise<void>
  readonly idleMs?: number
}

/**
 * Each failure becomes the stream's error. The answer is then cut off, so that a client does not take it for complete.
 */
export class Meter extends Transform {
  #passed = 0
  readonly #options: MeterOptions
  readonly #idle: NodeJS.Timeout

  constructor(options: MeterOptions) {
    super()
    this.#options = options
    this.#idle = setTimeout(() => this.destroy(new Error('nothing moved')), options.idleMs ?? IDLE_MS)
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#idle.refresh()
    this.#passed += chunk.length
    const { size } = this.#options
    if (size !== null && this.#passed > size) done(new Error('more than was announced'))
    else done(null, chunk)
  }

  override _flush(done: TransformCallback): void {
    const { size, complete } = this.#options
    if (size !== null && this.#passed !== size) done(new Error('less than was announced'))
    else void complete().then(() => done(), done)
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#idle)
    done(error)
  }
}
