/**
 * Measures single keys to `cat` and back. They go in turns through the terminal and through the engine's raw sockets,
 * with a terminal and without. They also go through a bridge that does nothing else, which is the least that a
 * WebSocket in Node can cost.
 */
import type { Cleanup } from '../harness/cleanup.ts'
import { startLimitServer } from '../harness/limit-server.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { pairedMedian, median, percentile, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const KEYS = 1_000
/** What the platform may add to the median of Docker's own terminal, in milliseconds. */
const ADDED_MS = 0.3
/** What it may add to an exec without a terminal, on which a held session runs, in milliseconds. The aim is 0.15. */
const ADDED_TO_PIPE_MS = 0.35
/**
 * Pauses before each key, in milliseconds. Without a pause the figure is that of the way itself. With one it includes
 * the time in which everything on the way wakes up.
 */
const RESTS_MS = [0, 2]

const WAYS = ['terminal', 'exec', 'pipe', 'bridge'] as const
type Way = (typeof WAYS)[number]

const typed = async ({ client, terminal, containerId }: Stage, bridgeUrl: string, restMs: number) => {
  const bridge = { url: bridgeUrl, token: 'none', version: 1 } as const
  const targets = { terminal, exec: { containerId }, pipe: { containerId, terminal: 'none' }, bridge } as const
  const rounds: Record<Way, number[]>[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const first = round % WAYS.length
    const order = [...WAYS.slice(first), ...WAYS.slice(0, first)]
    const samples = await client.call(
      'echo',
      order.map((way) => targets[way]),
      KEYS,
      restMs,
    )
    const of = (way: Way): number[] => samples[order.indexOf(way)] ?? []
    rounds.push({ terminal: of('terminal'), exec: of('exec'), pipe: of('pipe'), bridge: of('bridge') })
  }
  const at = (share: number) => {
    const of = (way: Way): number[] => rounds.map((round) => percentile(round[way], share))
    return { terminal: of('terminal'), exec: of('exec'), pipe: of('pipe'), bridge: of('bridge') }
  }
  return { restMs, p50: at(0.5), p99: at(0.99) }
}

type Samples = Awaited<ReturnType<typeof typed>>

const LIMITS = { exec: 'raw TTY exec', pipe: 'exec without TTY', bridge: 'bridge to a raw TTY exec' } as const

const row = (figure: string, samples: Samples['p50'], beside: keyof typeof LIMITS, target: number | null): Row => {
  const [ours, theirs] = [samples.terminal, samples[beside]]
  const added = pairedMedian(ours, theirs, (our, their) => our - their)
  return {
    figure,
    median: milliseconds(median(ours)),
    limit: `${milliseconds(median(theirs))} ${LIMITS[beside]}`,
    ratio: `+${milliseconds(added)}`,
    target: target === null ? '-' : `≤ +${milliseconds(target)}`,
    met: target === null ? null : added <= target,
  }
}

export const echo = async (stage: Stage, cleanup: Cleanup): Promise<Findings> => {
  const bridge = await startLimitServer(cleanup, 'bridge', stage.containerId)
  const all: Samples[] = []
  for (const restMs of RESTS_MS) all.push(await typed(stage, bridge, restMs))
  const rows = all.flatMap(({ restMs, p50, p99 }) => {
    const figure = restMs === 0 ? 'echo of a key' : `echo of a key after ${restMs} ms of rest`
    const hasTarget = restMs === 0
    return [
      row(`${figure}, p50`, p50, 'exec', hasTarget ? ADDED_MS : null),
      row(`${figure}, p50`, p50, 'pipe', hasTarget ? ADDED_TO_PIPE_MS : null),
      row(`${figure}, p50`, p50, 'bridge', null),
      row(`${figure}, p99`, p99, 'exec', null),
    ]
  })
  return { rows, raw: { unit: 'ms', keys: KEYS, all } }
}
