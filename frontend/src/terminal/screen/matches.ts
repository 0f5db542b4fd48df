/** The result of a search, in words. */

/** Most matches that are marked and counted. Each one is an element of the page. */
export const MATCHES_MAX = 1000

export interface Matches {
  /** Index of the current match, from 0. It is -1 if the match is beyond the counted ones. */
  readonly index: number
  /** {@link MATCHES_MAX} plus one stands for any larger number. */
  readonly count: number
}

export function countedMatches({ index, count }: Matches): string {
  if (count === 0) return 'No matches'
  const all = count > MATCHES_MAX ? `${MATCHES_MAX}+` : `${count}`
  return index < 0 ? all : `${index + 1} of ${all}`
}
