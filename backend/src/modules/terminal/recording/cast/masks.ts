/** Masks secrets in a stream of bytes, wherever the stream was cut into chunks. */
import { openCharacter } from '@slipway/emulator'

/** A shorter text would match everywhere, and the masked places would reveal it. */
export const SECRET_LENGTH_MIN = 8
/** Of a longer secret only this many bytes are masked. This bounds what is held back. */
const SECRET_LENGTH_MAX = 4096
/** More secrets than an agent, its people and the platform have, and had during the recording. */
const SECRETS_MAX = 64

/** Replaces a secret. Its length is fixed, so that it does not reveal the length of the secret. */
export const MASK = '***'

const NOTHING = Buffer.alloc(0)

/** One character per byte, so that patterns match bytes in any encoding. */
const asBytes = (text: string): string => Buffer.from(text).toString('latin1')

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

export class Masks {
  /** The latest first. */
  #known: readonly string[] = []
  /** The longest first, so that a secret that begins with another one is masked completely. */
  #secrets: readonly string[] = []
  #pattern: RegExp | null = null
  #longest = 0
  /** The end of the stream so far, which may be the beginning of a secret or of a character. */
  #held: Buffer = NOTHING

  /** Masks each of `secrets` that is long enough. */
  constructor(secrets: readonly string[]) {
    this.learn(secrets)
  }

  /** Masks these, too, in everything that is not out yet. If there are too many, the oldest are dropped. */
  learn(secrets: readonly string[]): void {
    const wanted = secrets.map((secret) => asBytes(secret.trim()).slice(0, SECRET_LENGTH_MAX))
    const known = new Set([...wanted.filter((secret) => secret.length >= SECRET_LENGTH_MIN), ...this.#known])
    this.#known = [...known].slice(0, SECRETS_MAX)
    this.#secrets = this.#known.toSorted((a, b) => b.length - a.length)
    this.#longest = this.#secrets[0]?.length ?? 0
    this.#pattern = this.#secrets.length === 0 ? null : new RegExp(this.#secrets.map(escaped).join('|'), 'g')
  }

  /** How many bytes are held back. */
  get held(): number {
    return this.#held.length
  }

  /**
   * Returns what can be written now. It holds back an end that may begin a secret, or an incomplete character. A pause
   * does not release it, because a user may be typing the rest by hand.
   */
  push(chunk: Uint8Array): Buffer {
    const fresh = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const data = this.#held.length === 0 ? fresh : Buffer.concat([this.#held, fresh])
    const text = this.#pattern ? data.toString('latin1') : ''
    const begun = this.#pattern ? this.#beginningOfSecret(text) : data.length
    const { masked, end } = this.#mask(data, text, begun)
    const kept = end < data.length ? end : data.length - openCharacter(data)
    // Copied, because the caller owns the chunk's memory.
    this.#held = kept === data.length ? NOTHING : Buffer.from(data.subarray(kept))
    return kept < end ? masked.subarray(0, masked.length - (end - kept)) : masked
  }

  /** Returns all that was held back. Call it at the end of the stream. */
  flush(): Buffer {
    const rest = this.#held
    this.#held = NOTHING
    return rest
  }

  /** `end` is the offset in `data` up to which `masked` covers it. */
  #mask(data: Buffer, text: string, begun: number): { masked: Buffer; end: number } {
    const parts: Buffer[] = []
    let end = 0
    if (this.#pattern)
      for (const { index, 0: secret } of text.matchAll(this.#pattern)) {
        // A longer secret may begin here.
        if (index >= begun) break
        parts.push(data.subarray(end, index), Buffer.from(MASK))
        end = index + secret.length
      }
    if (parts.length === 0) return { masked: data.subarray(0, begun), end: begun }
    const rest = Math.max(end, begun)
    parts.push(data.subarray(end, rest))
    return { masked: Buffer.concat(parts), end: rest }
  }

  /** Where the longest end of the text begins that is an incomplete secret. */
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
