/** The few numbers that stand for many. */

/** Every figure is measured so often; what counts is the one in the middle. */
export const ROUNDS = 5

/** The value below which `share` (0 to 1) of the samples lie; the nearest one, nothing is made up in between. */
export const percentile = (samples: readonly number[], share: number): number => {
  const sorted = samples.toSorted((a, b) => a - b)
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))]
  if (value === undefined) throw new Error('no samples')
  return value
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

/** Pairs two ways that were measured in turns: what slows the machine in one round slows both, and so falls out. */
export const pairedMedian = (
  ours: readonly number[],
  theirs: readonly number[],
  combine: (our: number, their: number) => number,
): number => median(ours.map((our, round) => combine(our, theirs[round] ?? Number.NaN)))

/** Runs `work` for each item, beginning one further on in every round, so that none is always the first. */
export const inTurns = async <T>(
  items: readonly T[],
  round: number,
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const first = round % items.length
  for (const item of [...items.slice(first), ...items.slice(0, first)]) await work(item)
}
