/** What one agent used over time, in a ring of numbers: a point takes 36 bytes, and a full ring takes no more. */
import type { AgentStatsHistory } from '@slipway/protocol'
import type { ContainerUsage } from '../../../runtime/port.ts'

/** The figures of a point, in the order in which they are kept. */
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
/** All but the limit, which is no matter of time. */
export type Columns = Omit<AgentStatsHistory, 'memoryLimitBytes'>

/** Rings grow by so many points: most agents never fill one. */
const GROW_BY = 60

const COUNTERS = ['cpuMs', 'networkRxBytes', 'networkTxBytes', 'diskReadBytes', 'diskWriteBytes'] as const

/** Whether the counters of `now` go on from those of `before`: they begin anew with each start of the container. */
export const goesOn = (before: ContainerUsage, now: ContainerUsage): boolean =>
  now.at >= before.at && COUNTERS.every((counter) => now[counter] >= before[counter])

/** What was used between two looks at the counters of one run. */
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

/** The newest points; the oldest go when it is full. A gap is a point without figures. */
export class Series {
  readonly #capacity: number
  #at = new Float64Array(0)
  #values = new Float32Array(0)
  /** Where the oldest point stands, and how many there are. */
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

  /** Says that from the newest point to the next one nothing is known. */
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

  /** Only while it is not full, so that the points still stand in their order from the beginning. */
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

/** A tenth is finer than any chart, and shorter on the wire. Null for a gap. */
const rounded = (value = Number.NaN): number | null => (Number.isNaN(value) ? null : Math.round(value * 10) / 10)
