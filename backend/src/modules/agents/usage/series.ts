/** One agent's use over time, in a ring of numbers. A point takes 36 bytes, and a full ring does not grow. */
import type { AgentStatsHistory } from '@slipway/protocol'
import type { ContainerUsage } from '../../../runtime/port.ts'

/** The figures of a point, in their order in the ring. */
const FIGURES = [
  'cpuPercent',
  'memoryBytes',
  'networkRxRate',
  'networkTxRate',
  'diskReadRate',
  'diskWriteRate',
  'processes',
] as const
type Figure = (typeof FIGURES)[number]
export type Point = Readonly<Record<Figure, number>>
/** All columns except the limit, which has no history. */
export type Columns = Omit<AgentStatsHistory, 'memoryLimitBytes'>

/** Number of points by which a ring grows: most agents never fill one. */
const GROW_BY = 60

const COUNTERS = ['cpuMs', 'networkRxBytes', 'networkTxBytes', 'diskReadBytes', 'diskWriteBytes'] as const

/** Whether the counters of `now` continue those of `before`. They restart with each start of the container. */
export const goesOn = (before: ContainerUsage, now: ContainerUsage): boolean =>
  now.at >= before.at && COUNTERS.every((counter) => now[counter] >= before[counter])

/** The use between two samples of one run. */
export const pointBetween = (before: ContainerUsage, now: ContainerUsage): Point => {
  const seconds = Math.max(0.001, (now.at - before.at) / 1000)
  const rate = (counter: (typeof COUNTERS)[number]): number => (now[counter] - before[counter]) / seconds
  return {
    cpuPercent: rate('cpuMs') / 10,
    memoryBytes: now.memoryBytes,
    networkRxRate: rate('networkRxBytes'),
    networkTxRate: rate('networkTxBytes'),
    diskReadRate: rate('diskReadBytes'),
    diskWriteRate: rate('diskWriteBytes'),
    processes: now.processes,
  }
}

/** The newest points; a full ring drops the oldest. A gap is a point without figures. */
export class Series {
  readonly #capacity: number
  #at = new Float64Array(0)
  #values = new Float32Array(0)
  /** Index of the oldest point, and the number of points. */
  #first = 0
  #count = 0
  #isGap = false

  /** `capacity` in points. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get count(): number {
    return this.#count
  }

  /** Marks the time from the newest point to the next one as unknown. */
  gap(at: number): void {
    if (this.#count === 0 || this.#isGap) return
    this.push(at, null)
    this.#isGap = true
  }

  /** `at` in milliseconds since 1970; null for no figures. */
  push(at: number, point: Point | null): void {
    this.#isGap = false
    if (this.#count === this.#at.length && this.#count < this.#capacity) this.#grow()
    if (this.#count === this.#capacity) this.#first = (this.#first + 1) % this.#capacity
    else this.#count += 1
    const slot = this.#slot(this.#count - 1)
    this.#at[slot] = at
    FIGURES.forEach((figure, index) => {
      this.#values[slot * FIGURES.length + index] = point === null ? Number.NaN : point[figure]
    })
  }

  /** The points since `from`, in milliseconds since 1970. */
  since(from: number): Columns {
    const slots: number[] = []
    for (let index = 0; index < this.#count; index++) {
      const slot = this.#slot(index)
      if ((this.#at[slot] ?? 0) >= from) slots.push(slot)
    }
    const column = (index: number): (number | null)[] =>
      slots.map((slot) => rounded(this.#values[slot * FIGURES.length + index]))
    const columns = FIGURES.map((figure, index) => [figure, column(index)] as const)
    const at = slots.map((slot) => Math.round((this.#at[slot] ?? 0) / 100) / 10)
    return { at, ...(Object.fromEntries(columns) as Record<Figure, (number | null)[]>) }
  }

  #slot(index: number): number {
    return (this.#first + index) % Math.max(1, this.#at.length)
  }

  /** Only while the ring is not full, so that the points are still in order from its beginning. */
  #grow(): void {
    const points = Math.min(this.#capacity, this.#at.length + GROW_BY)
    const at = new Float64Array(points)
    const values = new Float32Array(points * FIGURES.length)
    at.set(this.#at)
    values.set(this.#values)
    this.#at = at
    this.#values = values
  }
}

/** Rounds to tenths: finer than any chart, and short on the wire. Null for a gap. */
const rounded = (value = Number.NaN): number | null => (Number.isNaN(value) ? null : Math.round(value * 10) / 10)
