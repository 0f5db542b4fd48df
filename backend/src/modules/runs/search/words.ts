/** The words of a search. */

/** Letters, digits and accents in a row. The database separates the words of a result at the same characters. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu

/**
 * The condition, in the database's own language, for a text that has a word beginning with each of these words. Null if
 * there is no word.
 */
export const beginningsOf = (text: string): string | null => {
  const words = text.toLowerCase().match(WORD)
  return words && words.map((word) => `'${word}':*`).join(' & ')
}
