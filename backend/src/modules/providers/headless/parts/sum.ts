/** Adds up counts, either of which may be unknown. The sum is bounded, so that it stays exact, and finite. */
export const sum = (total: number | null, more: number | null): number | null =>
  more === null ? total : Math.min((total ?? 0) + more, Number.MAX_SAFE_INTEGER)
