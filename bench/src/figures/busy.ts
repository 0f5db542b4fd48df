/**
 * Measures keys while the embedded database writes all the time. The database has a thread of its own, so keys need not
 * wait for it.
 */
import type { Cleanup } from '../harness/cleanup.ts'
import { Client } from '../harness/client.ts'
import { type Findings, milliseconds, type Row } from '../harness/report.ts'
import { median, pairedMedian, percentile, ROUNDS } from '../harness/statistics.ts'
import type { Stage } from '../stage.ts'

const KEYS = 500
/** Pause between two keys, in milliseconds. */
const REST_MS = 2
const AGENT = 'written'

export const busy = async ({ world, api, client, terminal }: Stage, cleanup: Cleanup): Promise<Findings> => {
  await world.addAgent(api, AGENT)
  const writer = new Client(cleanup)
  const rounds = { idle: [] as number[][], busy: [] as number[][] }
  const writes: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const [idle = []] = await client.call('echo', [terminal], KEYS, REST_MS)
    rounds.idle.push(idle)
    await writer.call('startWriting', api.base, api.token, AGENT)
    const started = performance.now()
    const [typed = []] = await client.call('echo', [terminal], KEYS, REST_MS)
    rounds.busy.push(typed)
    const seconds = (performance.now() - started) / 1000
    writes.push((await writer.call('stopWriting')) / seconds)
  }
  const at = (samples: readonly number[][], share: number): number[] => samples.map((one) => percentile(one, share))
  const row = (name: string, share: number): Row => {
    const [ours, theirs] = [at(rounds.busy, share), at(rounds.idle, share)]
    return {
      figure: `echo of a key beside ${median(writes).toFixed(0)} changes a second, ${name}`,
      median: milliseconds(median(ours)),
      limit: `${milliseconds(median(theirs))} idle database`,
      ratio: pairedMedian(ours, theirs, (our, their) => our / their).toFixed(2),
      target: '-',
      met: null,
    }
  }
  const [p50, p99] = [row('p50', 0.5), row('p99', 0.99)]
  const raw = {
    unit: 'ms',
    keys: KEYS,
    writesPerSecond: writes,
    idle: { p50: at(rounds.idle, 0.5), p99: at(rounds.idle, 0.99) },
    busy: { p50: at(rounds.busy, 0.5), p99: at(rounds.busy, 0.99) },
  }
  return { rows: [p50, p99], raw }
}
