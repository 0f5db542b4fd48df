/** Single keys to `cat` and back, in turns through the terminal and through the engine's raw socket. */
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { pairedMedian, median, percentile, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const KEYS = 1_000
/** What the platform may add to the median key, in milliseconds. */
const ADDED_MS = 0.3

export const echo = async ({ client, terminal, containerId }: Stage): Promise<Findings> => {
  const rounds: { terminal: number[]; exec: number[] }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const targets = [terminal, { containerId }] as const
    const samples = await client.call(
      'echo',
      order.map((index) => targets[index]),
      KEYS,
    )
    rounds.push({ terminal: samples[order.indexOf(0)] ?? [], exec: samples[order.indexOf(1)] ?? [] })
  }
  const at = (share: number) => ({
    ours: rounds.map((round) => percentile(round.terminal, share)),
    theirs: rounds.map((round) => percentile(round.exec, share)),
  })
  const [p50, p99] = [at(0.5), at(0.99)]
  const row = (figure: string, { ours, theirs }: typeof p50, target: number | null): Row => {
    const added = pairedMedian(ours, theirs, (our, their) => our - their)
    return {
      figure,
      median: milliseconds(median(ours)),
      limit: `${milliseconds(median(theirs))} raw TTY exec`,
      ratio: `+${milliseconds(added)}`,
      target: target === null ? '-' : `≤ +${milliseconds(target, 1)}`,
      met: target === null ? null : added <= target,
    }
  }
  return {
    rows: [row('echo of a key, p50', p50, ADDED_MS), row('echo of a key, p99', p99, null)],
    raw: { unit: 'ms', keys: KEYS, p50, p99 },
  }
}
