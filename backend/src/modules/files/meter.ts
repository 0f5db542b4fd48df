/** Lets a file's bytes through: no more than were announced, and not at a pace that only holds things open. */
import { Transform, type TransformCallback } from 'node:stream'
import { SECOND_MS } from '../../lib/clock.ts'

/** How long nothing may move before a transfer is given up, in milliseconds. */
export const IDLE_MS = 60 * SECOND_MS

export interface MeterOptions {
  /** Exactly so many bytes are a success; null where nobody knows. */
  readonly size: number | null
  /** Looked at after the last byte: a rejection becomes the stream's error. */
  readonly complete: () => Promise<void>
  readonly idleMs?: number
}

/** What is wrong with it becomes the stream's error, by which an answer is cut off and not taken for the whole. */
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
