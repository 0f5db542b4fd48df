/** Measures how long users wait on a quiet server and on a busy one. */
import type { Client } from '../harness/client.ts'
import { median, percentile } from '../harness/statistics.ts'
import type { People } from './people.ts'
import type { Plan } from './plan.ts'

/**
 * Pause between two keys, in milliseconds. It is fast typing, but slow enough that the cores go to sleep in between.
 */
const KEY_REST_MS = 10

/** Milliseconds: one value for each round. */
export interface Latency {
  readonly signInP50: readonly number[]
  readonly signInP95: readonly number[]
  readonly echoP50: readonly number[]
  readonly echoP95: readonly number[]
}

export const measureLatency = async (
  probe: Client,
  { people, measured }: People,
  base: string,
  { rounds, signIns, keys }: Plan,
): Promise<Latency> => {
  const latency = {
    signInP50: [] as number[],
    signInP95: [] as number[],
    echoP50: [] as number[],
    echoP95: [] as number[],
  }
  // The first round does not count.
  for (let round = -1; round < rounds; round++) {
    const signedIn = await probe.call('signIns', base, people, signIns)
    const [typed = []] = await probe.call('echo', [measured], keys, KEY_REST_MS)
    if (round < 0) continue
    latency.signInP50.push(median(signedIn))
    latency.signInP95.push(percentile(signedIn, 0.95))
    latency.echoP50.push(median(typed))
    latency.echoP95.push(percentile(typed, 0.95))
  }
  return latency
}
