/** Measures the time from opening the socket to the first byte of the shell's prompt, beside Docker's own client. */
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { inTurns, median, pairedMedian, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

/** Samples in each round. Their median is the round's figure. */
const SAMPLES = 5
const TARGET = 1.2

export const prompt = async ({ client, terminal, containerId }: Stage): Promise<Findings> => {
  const ways = {
    terminal: () => client.call('promptThroughTerminal', terminal),
    cli: () => client.call('promptThroughCli', { containerId }),
    exec: () => client.call('promptThroughExec', { containerId }),
  }
  const names = Object.keys(ways) as (keyof typeof ways)[]
  const rounds: Record<keyof typeof ways, number[][]> = { terminal: [], cli: [], exec: [] }
  for (const name of names) await ways[name]()
  for (let round = 0; round < ROUNDS; round++) {
    const samples: Record<keyof typeof ways, number[]> = { terminal: [], cli: [], exec: [] }
    for (let sample = 0; sample < SAMPLES; sample++)
      await inTurns(names, sample, async (name) => void samples[name].push(await ways[name]()))
    for (const name of names) rounds[name].push(samples[name])
  }
  const of = (name: keyof typeof ways): number[] => rounds[name].map(median)
  const row = (figure: string, limit: 'cli' | 'exec', label: string, target: number | null): Row => {
    const ratio = pairedMedian(of('terminal'), of(limit), (our, their) => our / their)
    return {
      figure,
      median: milliseconds(median(of('terminal')), 0),
      limit: `${milliseconds(median(of(limit)), 0)} ${label}`,
      ratio: ratio.toFixed(2),
      target: target === null ? '-' : `≤ ${target}`,
      met: target === null ? null : ratio <= target,
    }
  }
  return {
    rows: [
      row('socket to first prompt byte', 'cli', 'docker exec -t', TARGET),
      row('socket to first prompt byte', 'exec', 'raw exec by dockerode', null),
    ],
    raw: { unit: 'ms', ...rounds },
  }
}
