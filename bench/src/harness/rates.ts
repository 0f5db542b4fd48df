/** Measures the rates of several ways to the same bytes, in turns. */
import { megabytes, type Row } from './report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from './statistics.ts'

/** Measures each way once in each round, in bytes a second. Ways with a small difference need more rounds. */
export const measureRates = async <Name extends string>(
  ways: Readonly<Record<Name, () => Promise<number>>>,
  rounds = ROUNDS,
): Promise<Record<Name, number[]>> => {
  const names = Object.keys(ways) as Name[]
  const rates = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  // The first round does not count. After it the file is in memory and the programs are compiled.
  for (let round = -1; round < rounds; round++)
    await inTurns(names, round + 1, async (name) => {
      const rate = await ways[name]()
      if (round >= 0) rates[name].push(rate)
    })
  return rates
}

/** A row that compares one way with another, which `limit` names. */
export const rateRow = (
  figure: string,
  ours: readonly number[],
  { theirs, limit, target = null }: { theirs: readonly number[]; limit: string; target?: number | null },
): Row => {
  const ratio = pairedMedian(ours, theirs, (our, their) => our / their)
  return {
    figure,
    median: megabytes(median(ours)),
    limit: `${megabytes(median(theirs))} ${limit}`,
    ratio: ratio.toFixed(2),
    target: target === null ? '-' : `≥ ${target}`,
    met: target === null ? null : ratio >= target,
  }
}
