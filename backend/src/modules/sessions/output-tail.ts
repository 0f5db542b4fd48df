/** The end of what a program printed, as text. */
import { EXEC_OUTPUT_BYTES } from '@slipway/protocol'
import { OutputLog } from './output-log.ts'

/**
 * Bytes of the longest UTF-8 sequence without its first one. This many bytes at a cut may belong to an earlier
 * character.
 */
const CONTINUATIONS_MAX = 3

export class OutputTail {
  readonly #limit: number
  readonly #first: number
  readonly #log: OutputLog

  /** `from` is the offset of the first byte that will be appended; earlier output is missing. */
  constructor(limit = EXEC_OUTPUT_BYTES, from = 0) {
    this.#limit = limit
    this.#log = new OutputLog(limit, from)
    this.#first = from
  }

  append(chunk: Uint8Array): void {
    this.#log.append(chunk)
  }

  get isTruncated(): boolean {
    return this.#from > 0
  }

  /** Offset of the first byte that counts. */
  get #from(): number {
    return Math.max(this.#first, this.#log.end - this.#limit)
  }

  /** Begins with a whole character. Bytes that are not UTF-8 become U+FFFD. */
  get text(): string {
    const from = this.#from
    const bytes = this.#log.since(from) ?? new Uint8Array()
    let skipped = 0
    while (from > 0 && skipped < CONTINUATIONS_MAX && isContinuation(bytes[skipped])) skipped += 1
    return Buffer.from(bytes.buffer, bytes.byteOffset + skipped, bytes.length - skipped).toString('utf8')
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80
