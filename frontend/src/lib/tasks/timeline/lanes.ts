/** The bars of a timeline: one lane for each kind, with so few bars that any number of steps can be drawn. */
import { coveredBy, type Span, type SpanKind, type Timeline } from './spans.ts'

/** The chart has this many columns. Spans that are closer than one column are one bar, so a lane has fewer bars. */
export const COLUMNS = 120
/** Lanes of tools. The other tools share one more. */
export const TOOL_LANES = 7

/** Spans of one lane that are too close to each other to be drawn apart. */
export interface Bar {
  /** The row of the longest span. */
  readonly id: number
  readonly count: number
  /** The longest span, for the words. */
  readonly longest: Span
  readonly from: number
  readonly to: number
  /** Time that the spans cover, in milliseconds. */
  readonly ms: number
}

export interface Lane {
  readonly key: string
  readonly kind: SpanKind
  readonly name: string
  readonly count: number
  /** Time that the spans cover, in milliseconds. */
  readonly ms: number
  readonly bars: readonly Bar[]
}

const lengthOf = ({ from, to }: Span): number => to - from

export function barsOf(spans: readonly Span[], columnMs: number): Bar[] {
  const bars: Bar[] = []
  for (const span of spans) {
    const last = bars.at(-1)
    if (last === undefined || span.from - last.to >= columnMs) {
      bars.push({ id: span.id, count: 1, longest: span, from: span.from, to: span.to, ms: lengthOf(span) })
      continue
    }
    const longest = lengthOf(span) > lengthOf(last.longest) ? span : last.longest
    bars[bars.length - 1] = {
      id: longest.id,
      count: last.count + 1,
      longest,
      from: last.from,
      to: Math.max(last.to, span.to),
      ms: last.ms + Math.max(0, span.to - Math.max(span.from, last.to)),
    }
  }
  return bars
}

/** The model first, then the tools by their time, waits, and the CLI itself. */
export function lanesOf({ from, to, spans }: Timeline): Lane[] {
  const columnMs = (to - from) / COLUMNS
  const laneOf = (key: string, kind: SpanKind, name: string, own: readonly Span[]): Lane[] =>
    own.length === 0 ? [] : [{ key, kind, name, count: own.length, ms: coveredBy(own), bars: barsOf(own, columnMs) }]
  const ofKind = (kind: SpanKind): Lane[] => {
    const own = spans.filter((span) => span.kind === kind)
    return laneOf(kind, kind, own[0]?.name ?? '', own)
  }
  const byTool = Map.groupBy(
    spans.filter(({ kind }) => kind === 'tool'),
    ({ name }) => name,
  )
  const tools = [...byTool].map(([name, own]) => ({ name, own, ms: coveredBy(own) })).sort((a, b) => b.ms - a.ms)
  const others = tools.length > TOOL_LANES + 1 ? new Set(tools.slice(TOOL_LANES).map(({ name }) => name)) : new Set()
  return [
    ...ofKind('model'),
    ...tools
      .filter(({ name }) => !others.has(name))
      .flatMap(({ name, own }) => laneOf(`tool ${name}`, 'tool', name, own)),
    ...laneOf(
      'other tools',
      'tool',
      `${others.size} other tools`,
      spans.filter(({ kind, name }) => kind === 'tool' && others.has(name)),
    ),
    ...ofKind('waiting'),
    ...ofKind('cli'),
  ]
}

/** How the time divides, in milliseconds. The parts together are the whole time. */
export interface Sums {
  readonly total: number
  readonly model: number
  readonly tools: number
  readonly waiting: number
}

export function sumsOf({ from, to, spans }: Timeline): Sums {
  const of = (kind: SpanKind): number => coveredBy(spans.filter((span) => span.kind === kind))
  return { total: to - from, model: of('model'), tools: of('tool'), waiting: of('waiting') }
}
