/** What a search has found, in words. */

/** Most matches that are marked and counted: each is an element of the page. */
export const MATCHES_MAX = 1000

export interface Matches {
  /** Of the one that is gone to, from 0; -1 where it is not among those that are counted. */
  readonly index: number
  /** One more than {@link MATCHES_MAX} stands for any number above. */
  readonly count: number
}

export function countedMatches({ index, count }: Matches): string {
  if (count === 0) return 'No matches'
  const all = count > MATCHES_MAX ? `${MATCHES_MAX}+` : `${count}`
  return index < 0 ? all : `${index + 1} of ${all}`
}
