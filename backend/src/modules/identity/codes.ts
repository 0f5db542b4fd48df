/** Short codes that users read in one place and type in another, and how often one may guess them. */
import { randomInt } from 'node:crypto'
import { type Clock, MINUTE_MS } from '../../lib/time/clock.ts'

/** How long a code is valid, in milliseconds. */
export const CODE_VALID_MS = 10 * MINUTE_MS
/** Wrong codes of one guesser, and of all together, within {@link CODE_VALID_MS}. */
export const GUESSES_EACH = 5
export const GUESSES_OF_ALL = 200
/** Guessers that are counted. Beyond them, no further one may guess until the time is over. */
const GUESSERS_MAX = GUESSES_OF_ALL

/** Letters and digits that are not mistaken for each other (Crockford's base 32). Ten of them are 50 bits. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const CODE_LENGTH = 10

/** A new code: `plain` is what is compared, `shown` what a user reads. */
export function newCode(): { readonly plain: string; readonly shown: string } {
  const plain = Array.from({ length: CODE_LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return { plain, shown: `${plain.slice(0, 5)}-${plain.slice(5)}` }
}

/** The code that a user has typed: perhaps with small letters, spaces, and letters that look like digits. */
export const plainCode = (typed: string): string =>
  typed
    .slice(0, 100)
    .toUpperCase()
    .replaceAll(/[^0-9A-Z]/g, '')
    .replaceAll('O', '0')
    .replaceAll(/[IL]/g, '1')

/** Counts wrong codes. The counts begin again after {@link CODE_VALID_MS}. */
export class Guesses {
  readonly #clock: Clock
  readonly #wrong = new Map<string, number>()
  #countedSince = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this guesser may not try now. */
  isLimited(guesser: string): boolean {
    const now = this.#clock.now()
    if (now - this.#countedSince >= CODE_VALID_MS) {
      this.#wrong.clear()
      this.#countedSince = now
    }
    const all = [...this.#wrong.values()].reduce((sum, count) => sum + count, 0)
    if (all >= GUESSES_OF_ALL || this.#wrong.size >= GUESSERS_MAX) return true
    return (this.#wrong.get(guesser) ?? 0) >= GUESSES_EACH
  }

  wrong(guesser: string): void {
    this.#wrong.set(guesser, (this.#wrong.get(guesser) ?? 0) + 1)
  }

  right(guesser: string): void {
    this.#wrong.delete(guesser)
  }
}
