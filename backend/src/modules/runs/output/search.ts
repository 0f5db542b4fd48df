/**
 * Finds many texts in one at the same time (Wu and Manber, 1994). Most of the searched text is skipped: where its next
 * block of code units is in none of the sought texts, none of them can end there.
 */

/** Shortest text that can be sought, in UTF-16 code units. */
export const SOUGHT_MIN = 8
/** How much of each sought text counts for the skips, if all are as long. The skips are about as long, too. */
const WINDOW_MAX = 64
/** Code units whose hash says how far to skip. */
const BLOCK = 3
const HASHES = 65_536
/** How much of the end of a text may begin a sought one, in UTF-16 code units. */
const BEGUN_MAX = 4_096

/** A part of a text, from `start` up to `end`, without `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** The hash of the block that ends with the code unit at `last`. */
const hashOf = (text: string, last: number): number =>
  ((text.charCodeAt(last - 2) << 10) ^ (text.charCodeAt(last - 1) << 5) ^ text.charCodeAt(last)) & (HASHES - 1)

export class Search {
  /** How much of the beginning of each sought text is compared by its blocks, in UTF-16 code units. */
  readonly #window: number
  /** How far no sought text can end, by the hash of the last block. */
  readonly #skips = new Uint8Array(HASHES)
  /** By the last block of their window. The longest first. */
  readonly #byBlock = new Map<number, string[]>()
  /** By their first code unit. */
  readonly #byFirst = new Map<number, string[]>()
  readonly #longest: number

  /** Each of them has at least {@link SOUGHT_MIN} code units. */
  constructor(sought: Iterable<string>) {
    const longestFirst = [...new Set(sought)].toSorted((a, b) => b.length - a.length)
    this.#longest = longestFirst[0]?.length ?? 0
    this.#window = Math.min(longestFirst.at(-1)?.length ?? WINDOW_MAX, WINDOW_MAX)
    // For a block that is in no sought text.
    this.#skips.fill(this.#window - BLOCK + 1)
    for (const one of longestFirst) {
      for (let last = BLOCK - 1; last < this.#window; last += 1) {
        const hash = hashOf(one, last)
        this.#skips[hash] = Math.min(this.#skips[hash] ?? 0, this.#window - 1 - last)
      }
      push(this.#byBlock, hashOf(one, this.#window - 1), one)
      push(this.#byFirst, one.charCodeAt(0), one)
    }
  }

  /** Where the sought texts are, in order. Those that overlap are one span. */
  spans(text: string): readonly Span[] {
    if (this.#longest === 0) return NOWHERE
    const spans: { start: number; end: number }[] = []
    const skips = this.#skips
    const { length } = text
    for (let last = this.#window - 1; last < length;) {
      const skip = skips[hashOf(text, last)] ?? 0
      if (skip > 0) {
        last += skip
        continue
      }
      const start = last - this.#window + 1
      const found = this.#byBlock.get(hashOf(text, last))?.find((one) => text.startsWith(one, start))
      if (found !== undefined) {
        const end = start + found.length
        const before = spans.at(-1)
        if (before && start < before.end) before.end = Math.max(before.end, end)
        else spans.push({ start, end })
      }
      last += 1
    }
    return spans
  }

  /** Where the longest end of the text begins that is an incomplete sought text; the length of the text if none is. */
  begun(text: string): number {
    for (let at = Math.max(0, text.length - Math.min(this.#longest - 1, BEGUN_MAX)); at < text.length; at += 1) {
      const candidates = this.#byFirst.get(text.charCodeAt(at))
      if (!candidates) continue
      const end = text.slice(at)
      if (candidates.some((one) => one.length > end.length && one.startsWith(end))) return at
    }
    return text.length
  }
}

const NOWHERE: readonly Span[] = []

const push = (lists: Map<number, string[]>, key: number, one: string): void => {
  const list = lists.get(key)
  if (list) list.push(one)
  else lists.set(key, [one])
}
