/**
 * Masks secrets that a CLI prints in pieces: each delta of an answer is a line of its own. A line is held back while the
 * text at its end may begin a secret, until the next delta or the end of the text.
 */
import type { Delta } from '../../providers/headless/headless.ts'
import type { Line } from './lines.ts'
import type { Masking } from './masking.ts'
import { withoutSpans } from './masking.ts'

/** Most lines that are held back. A secret in more pieces is not recognised. */
export const HELD_LINES_MAX = 256
/** Most text of lines that are held back, in UTF-16 code units. The container keeps them as long, in its log. */
const HELD_MAX = 1_048_576

/** A line that waits for the lines after it. */
interface Held {
  line: Line
  readonly delta: Delta | null
  /** The text of its delta, which may change. */
  text: string
  /** Whether its end may begin a secret. */
  isOpen: boolean
}

export class DeltaMask {
  readonly #masking: Masking
  readonly #deltaIn: (line: string) => Delta | 'aside' | null
  /** In the order in which they came. */
  #held: Held[] = []
  #heldLength = 0

  /** `deltaIn` is `Reading.delta` of the driver. */
  constructor(masking: Masking, deltaIn: (line: string) => Delta | 'aside' | null) {
    this.#masking = masking
    this.#deltaIn = deltaIn
  }

  /** Whether lines wait. */
  get isHolding(): boolean {
    return this.#held.length > 0
  }

  /** The lines that nothing after them can change, up to this one. Each line is answered once, in order. */
  push(line: Line): Line[] {
    const found = line.isCut ? null : this.#deltaIn(line.text)
    if (!this.isHolding && (found === null || found === 'aside')) return [line]
    if (found === null) return [...this.flush(), line]
    const delta = found === 'aside' ? null : found
    this.#held.push({ line, delta, text: delta?.text ?? '', isOpen: false })
    this.#heldLength += line.text.length
    if (delta) this.#settle(delta.stream, false)
    if (this.#held.length > HELD_LINES_MAX || this.#heldLength > HELD_MAX) return this.flush()
    const open = this.#held.findIndex(({ isOpen }) => isOpen)
    return this.#release(open === -1 ? this.#held.length : open)
  }

  /** The lines that wait: no text goes on. */
  flush(): Line[] {
    for (const stream of new Set(this.#held.map(({ delta }) => delta?.stream)))
      if (stream !== undefined) this.#settle(stream, true)
    return this.#release(this.#held.length)
  }

  /** Masks what is certain in the text of a stream, and notes which of its lines must wait. */
  #settle(stream: string, isOver: boolean): void {
    const pieces = this.#held.filter(({ delta }) => delta?.stream === stream)
    const text = pieces.map((piece) => piece.text).join('')
    const { search } = this.#masking
    const spans = search.spans(text)
    const begun = isOver ? text.length : search.begun(text)
    // A secret that ends behind it may be a part of a longer one.
    const certain = Math.min(begun, spans.find(({ end }) => end > begun)?.start ?? begun)
    const masked = spans.filter(({ end }) => end <= certain)
    let start = 0
    for (const piece of pieces) {
      const end = start + piece.text.length
      piece.isOpen = end > certain
      // A secret is replaced where it begins, and left out of the pieces after that.
      piece.text = masked.reduceRight((left, span) => {
        const [from, to] = [Math.max(span.start, start) - start, Math.min(span.end, end) - start]
        if (from >= to) return left
        return span.start >= start
          ? withoutSpans(left, [{ start: from, end: to }])
          : left.slice(0, from) + left.slice(to)
      }, piece.text)
      start = end
    }
  }

  #release(count: number): Line[] {
    const released = this.#held.splice(0, count)
    return released.map(({ line, delta, text }) => {
      this.#heldLength -= line.text.length
      return delta === null || text === delta.text ? line : { ...line, text: delta.with(text) }
    })
  }
}
