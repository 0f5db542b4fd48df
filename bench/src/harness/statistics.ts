/** Statistics for lists of samples. */

/** How often every figure is measured. The median counts. */
export const ROUNDS = 5

/** The value below which `share` (0 to 1) of the samples lie. It is the nearest sample, without interpolation. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
  if (value === undefined) throw new Error('no samples')
  return value
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

/**
 * Compares two ways that were measured in turns, in pairs. If the machine is slow in a round, both are slow, and the
 * effect cancels out.
 */
export const pairedMedian = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): number => median(ours.map((our, round) => combine(our, theirs[round] ?? Number.NaN)))

/** Runs `work` for each item. Every round begins with the next item, so that none is always the first. */
export const inTurns = async <T>(
  items: readonly T[],
  round: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const first = round % items.length
  for (const item of [...items.slice(first), ...items.slice(0, first)]) await work(item)
}
