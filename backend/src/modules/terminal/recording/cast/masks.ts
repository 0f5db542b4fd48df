/** Takes secrets out of a stream of bytes, wherever the stream was cut into chunks. */
import { openCharacter } from '@slipway/emulator'

/** A shorter text would be found everywhere, and its places would tell what it is. */
export const SECRET_LENGTH_MIN = 8
/** Of one secret this many characters are looked for at most: it bounds what is held back. */
const SECRET_LENGTH_MAX = 4096
/** More than an agent, its people and the platform have together, and had while it was recorded. */
const SECRETS_MAX = 64

/** What stands where a secret was. Of one length, so that it does not tell that of the secret. */
export const MASK = '***'

const NOTHING = Buffer.alloc(0)

/** As one character for each byte: patterns then meet bytes, whatever they mean. */
const asBytes = (text: string): string => Buffer.from(text).toString('latin1')

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

export class Masks {
  /** The latest first. */
  #known: readonly string[] = []
  /** The longest first, so that one that begins with another is found whole. */
  #secrets: readonly string[] = []
  #pattern: RegExp | null = null
  #longest = 0
  /** The end of the stream so far, which may be the beginning of a secret or of a character. */
  #held: Buffer = NOTHING

  /** Looks for each of `secrets` that is long enough. */
  constructor(secrets: readonly string[]) {
    this.learn(secrets)
  }

  /** Looks for these, too, in what is still to be told; where they are too many, for the oldest no more. */
  learn(secrets: readonly string[]): void {
    const wanted = secrets.map((secret) => asBytes(secret.trim()).slice(0, SECRET_LENGTH_MAX))
    const known = new Set([...wanted.filter((secret) => secret.length >= SECRET_LENGTH_MIN), ...this.#known])
    this.#known = [...known].slice(0, SECRETS_MAX)
    this.#secrets = this.#known.toSorted((a, b) => b.length - a.length)
    this.#longest = this.#secrets[0]?.length ?? 0
    this.#pattern = this.#secrets.length === 0 ? null : new RegExp(this.#secrets.map(escaped).join('|'), 'g')
  }

  /** How many bytes have come in and not gone out yet. */
  get held(): number {
    return this.#held.length
  }

  /**
   * What can be told of the stream now. Held back is only an end that a secret begins with, or the pieces of a character;
   * that is not told sooner when nothing follows for a while, because the rest may be typed by hand.
   */
  push(chunk: Uint8Array): Buffer {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const data = this.#held.length === 0 ? fresh : Buffer.concat([this.#held, fresh])
    const text = this.#pattern ? data.toString('latin1') : ''
    const begun = this.#pattern ? this.#beginningOfSecret(text) : data.length
    const { masked, end } = this.#mask(data, text, begun)
    const kept = end < data.length ? end : data.length - openCharacter(data)
    // Copied: the chunk's memory is somebody else's.
    this.#held = kept === data.length ? NOTHING : Buffer.from(data.subarray(kept))
    return kept < end ? masked.subarray(0, masked.length - (end - kept)) : masked
  }

  /** Everything that was held back: nothing follows. */
  flush(): Buffer {
    const rest = this.#held
    this.#held = NOTHING
    return rest
  }

  /** `end` is where of `data` that ends which is in `masked`. */
  #mask(data: Buffer, text: string, begun: number): { masked: Buffer; end: number } {
    const parts: Buffer[] = []
    let end = 0
    if (this.#pattern)
      for (const { index, 0: secret } of text.matchAll(this.#pattern)) {
        // A longer one may begin here.
        if (index >= begun) break
        parts.push(data.subarray(end, index), Buffer.from(MASK))
        end = index + secret.length
      }
    if (parts.length === 0) return { masked: data.subarray(0, begun), end: begun }
    const rest = Math.max(end, begun)
    parts.push(data.subarray(end, rest))
    return { masked: Buffer.concat(parts), end: rest }
  }

  /** Where the longest end begins that is the beginning of a secret, and not all of it. */
  #beginningOfSecret(text: string): number {
    for (let at = Math.max(0, text.length - this.#longest + 1); at < text.length; at += 1) {
      const length = text.length - at
      for (const secret of this.#secrets)
        if (secret.length > length && secret.charCodeAt(0) === text.charCodeAt(at) && secret.startsWith(text.slice(at)))
          return at
    }
    return text.length
  }
}
