/** Single keys to `cat` and back, in turns through the terminal and through the engine's raw socket. */
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { pairedMedian, median, percentile, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const KEYS = 1_000
/** What the platform may add to the median key, in milliseconds. */
const ADDED_MS = 0.3
/** Before each key, in milliseconds: none shows the way itself, two also what it costs to wake everything on it. */
const RESTS_MS = [0, 2]

const typed = async ({ client, terminal, containerId }: Stage, restMs: number) => {
  const rounds: { terminal: number[]; exec: number[] }[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    const targets = [terminal, { containerId }] as const
    const turns = order.map((index) => targets[index])
    const samples = await client.call('echo', turns, KEYS, restMs)
    rounds.push({ terminal: samples[order.indexOf(0)] ?? [], exec: samples[order.indexOf(1)] ?? [] })
  }
  const at = (share: number) => ({
    ours: rounds.map((round) => percentile(round.terminal, share)),
    theirs: rounds.map((round) => percentile(round.exec, share)),
  })
  return { restMs, p50: at(0.5), p99: at(0.99) }
}

type Samples = Awaited<ReturnType<typeof typed>>

const row = (figure: string, { ours, theirs }: Samples['p50'], target: number | null): Row => {
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

export const echo = async (stage: Stage): Promise<Findings> => {
  const all: Samples[] = []
  for (const restMs of RESTS_MS) all.push(await typed(stage, restMs))
  const rows = all.flatMap(({ restMs, p50, p99 }) => {
    const figure = restMs === 0 ? 'echo of a key' : `echo of a key after ${restMs} ms of rest`
    return [row(`${figure}, p50`, p50, restMs === 0 ? ADDED_MS : null), row(`${figure}, p99`, p99, null)]
  })
  return { rows, raw: { unit: 'ms', keys: KEYS, all } }
}
