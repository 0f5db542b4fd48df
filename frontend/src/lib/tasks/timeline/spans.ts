/** Where the time of a task went: a pure function of its rows. */
import type { CodingSession } from '@slipway/protocol'
import type { Entry, StepEntry } from '../transcript/entries.ts'
import { summaryOf, toolName } from '../transcript/steps.ts'
import { isActive } from '../taskState.ts'

/** What the time went into. `cli` is the start and the end of the program. */
export type SpanKind = 'cli' | 'model' | 'tool' | 'waiting'

/** A part of a task's time. Only those of tools overlap. */
export interface Span {
  /** The row to go to. */
  readonly id: number
  readonly kind: SpanKind
  /** The tool, or what it is instead of one. */
  readonly name: string
  /** What it is about, as code. Empty if the name says all. */
  readonly object: string
  /** In milliseconds since 1970. */
  readonly from: number
  readonly to: number
}

const NAMES: Record<Exclude<SpanKind, 'tool'>, string> = {
  cli: 'Start and end of the CLI',
  model: 'Model',
  waiting: 'Waiting',
}

/** What a timeline is made of. */
export interface Timed {
  readonly task: Pick<CodingSession, 'state' | 'startedAt' | 'completedAt' | 'cwd'>
  readonly entries: readonly Entry[]
  /** When the CLI said something first. */
  readonly firstAt: string | null
  /** Whether the first rows are not kept. Then the timeline begins with those that are. */
  readonly isPart: boolean
  /** In milliseconds since 1970. */
  readonly now: number
}

export interface Timeline {
  readonly from: number
  readonly to: number
  /** In the order in which they begin. */
  readonly spans: readonly Span[]
}

const time = (at: string | null): number | null => {
  const ms = at === null ? NaN : Date.parse(at)
  return Number.isNaN(ms) ? null : ms
}

const toolOf = (step: StepEntry): string => {
  if (step.command !== null) return 'Shell'
  return step.name === '' ? 'Unknown tool' : toolName(step.name)
}

/** What came of a part of the model's time. */
const objectOf = (entry: Entry, cwd: string): string => {
  if (entry.kind === 'step') return summaryOf(entry, cwd).object
  return entry.kind === 'text' || entry.kind === 'thinking' ? (entry.text.trim().split('\n', 1)[0] ?? '') : ''
}

/** Null for a task that has not started, or told nothing. */
export function timelineOf({ task, entries, firstAt, isPart, now }: Timed): Timeline | null {
  const [first, last] = [entries.at(0), entries.at(-1)]
  const from = time(isPart ? (first?.at ?? null) : task.startedAt)
  if (from === null || first === undefined || last === undefined) return null
  const active = isActive(task.state)
  // The clocks of the page and of the server may differ.
  const newest = entries.reduce((latest, entry) => Math.max(latest, time(entry.at) ?? 0), from)
  const to = Math.max(newest, (active ? now : time(task.completedAt)) ?? newest)
  const spans: Span[] = []
  /** Up to here the time is accounted for. */
  let covered = from
  const fill = (until: number, kind: Exclude<SpanKind, 'tool'>, { id }: Pick<Entry, 'id'>, object = ''): void => {
    if (until > covered) spans.push({ id, kind, name: NAMES[kind], object, from: covered, to: until })
    covered = Math.max(covered, until)
  }

  if (!isPart) fill(Math.min(time(firstAt) ?? from, to), 'cli', first)
  let isRetrying = false
  for (const entry of entries) {
    const at = Math.min(Math.max(time(entry.at) ?? covered, from), to)
    const wait = entry.kind === 'note' ? entry.wait : null
    const isWaiting = wait === 'over' || isRetrying
    fill(at, isWaiting ? 'waiting' : 'model', entry, isWaiting ? '' : objectOf(entry, task.cwd))
    isRetrying = wait === 'begins'
    if (entry.kind !== 'step') continue
    const end = Math.min(Math.max(time(entry.endedAt) ?? to, at), to)
    const { object } = summaryOf(entry, task.cwd)
    spans.push({ id: entry.id, kind: 'tool', name: toolOf(entry), object, from: at, to: end })
    covered = Math.max(covered, end)
  }
  const hasAnswered = !active && entries.some((entry) => entry.kind === 'text' && entry.isAnswer)
  fill(to, task.state === 'waiting' || isRetrying ? 'waiting' : hasAnswered ? 'cli' : 'model', last)
  return { from, to, spans }
}

/** The time that spans cover together, in milliseconds. They are in the order in which they begin. */
export function coveredBy(spans: readonly Span[]): number {
  let [sum, until] = [0, -Infinity]
  for (const { from, to } of spans) {
    sum += Math.max(0, to - Math.max(from, until))
    until = Math.max(until, to)
  }
  return sum
}

/** How many slow parts are listed. */
export const SLOWEST = 8
/** Shorter parts are not slow, in milliseconds. */
const SLOW_MS = 500

/** The longest parts in the model and in tools, the longest first. */
export const slowestOf = ({ spans }: Timeline): Span[] =>
  spans
    .filter(({ kind, from, to }) => (kind === 'model' || kind === 'tool') && to - from >= SLOW_MS)
    .sort((one, other) => other.to - other.from - (one.to - one.from))
    .slice(0, SLOWEST)
