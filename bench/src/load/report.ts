/** The findings of a load run, for readers and for the file. */
import { type Row, milliseconds } from '../harness/report.ts'
import { median } from '../harness/statistics.ts'
import type { Counts } from './counts.ts'
import { differences } from './counts.ts'
import type { Memory } from '../harness/heap.ts'
import type { Latency } from './latency.ts'

/** Largest 95th percentile under load, as a multiple of the idle one. */
const LOADED_RATIO = 2
/** Largest growth of the heap after a garbage collection, in bytes. Caches fill, and code is compiled. */
const HEAP_GROWTH_BYTES = 4_000_000

/** What is left when all users are gone. */
export interface Left {
  readonly before: Counts
  readonly after: Counts
  readonly memoryBefore: Memory
  readonly memoryAfter: Memory
}

export interface LoadRun extends Left {
  readonly idle: Latency
  readonly loaded: Latency
}

const slower = (figure: string, idle: readonly number[], loaded: readonly number[], hasTarget: boolean): Row => {
  const ratio = median(loaded) / median(idle)
  return {
    figure,
    median: milliseconds(median(loaded)),
    limit: `${milliseconds(median(idle))} idle`,
    ratio: ratio.toFixed(2),
    target: hasTarget ? `≤ ${LOADED_RATIO}` : '-',
    met: hasTarget ? ratio <= LOADED_RATIO : null,
  }
}

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`

const grown = (figure: string, before: number, after: number, target: number | null): Row => ({
  figure,
  median: megabytes(after),
  limit: `${megabytes(before)} at the start`,
  ratio: `${after < before ? '-' : '+'}${megabytes(Math.abs(after - before))}`,
  target: target === null ? '-' : `≤ +${megabytes(target)}`,
  met: target === null ? null : after - before <= target,
})

export const rowsOfLeft = ({ before, after, memoryBefore, memoryAfter }: Left): Row[] => {
  const left = differences(before, after)
  const grew = left.filter(([, was, is]) => is > was)
  return [
    {
      figure: 'counts that have grown',
      median: String(grew.length),
      limit:
        left.map(([name, was, is]) => `${name}: ${was} -> ${is}`).join('; ') || `${Object.keys(before).length} counted`,
      ratio: '-',
      target: '0',
      met: grew.length === 0,
    },
    grown('heap after collection', memoryBefore.heapBytes, memoryAfter.heapBytes, HEAP_GROWTH_BYTES),
    grown('buffers after collection', memoryBefore.externalBytes, memoryAfter.externalBytes, HEAP_GROWTH_BYTES),
    grown('resident memory', memoryBefore.residentBytes, memoryAfter.residentBytes, null),
  ]
}

export const rowsOf = ({ idle, loaded, ...left }: LoadRun): Row[] => [
  slower('sign-in, p95', idle.signInP95, loaded.signInP95, true),
  slower('sign-in, p50', idle.signInP50, loaded.signInP50, false),
  slower('echo of a key, p95', idle.echoP95, loaded.echoP95, true),
  slower('echo of a key, p50', idle.echoP50, loaded.echoP50, false),
  ...rowsOfLeft(left),
]
