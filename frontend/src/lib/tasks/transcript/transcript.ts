/** Gathers the events of a task into the rows that a page shows. */
import type { CodingSession, RunEvent } from '@slipway/protocol'
import { cut } from './cut.ts'
import { editIn } from './edits.ts'
import { type Entry, noted, type StepEntry, type TextEntry } from './entries.ts'
import { objectOf } from './steps.ts'
import { ModelCalls } from '../timeline/calls.ts'
import { NOTHING_USED, together, type Used, usedBy } from './usage.ts'

/** Most rows that a page keeps. Then it drops the oldest {@link DROPPED_AT_ONCE}. */
export const ENTRIES_MAX = 20_000
export const DROPPED_AT_ONCE = 2_000
/** Longest text of one row that is joined from pieces, in UTF-16 code units. */
const JOINED_MAX = 65_536

type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>

export class Transcript {
  readonly #inPieces: CodingSession['inPieces']
  #entries: Entry[] = []
  /** Rows that were dropped. The place of a row counts them, so that it stays. */
  #dropped = 0
  /** The places of steps whose results may come, by the id of the call. */
  readonly #calls = new Map<string, number>()
  /** The places of questions without an answer, by the id of the request. */
  readonly #asked = new Map<string, number>()
  /** The place of the newest plan. */
  #plan: number | null = null
  /** The place of the newest text. */
  #text: number | null = null
  #seq = 0
  #usedBefore: Used = NOTHING_USED
  #usedNow: Used = NOTHING_USED
  #firstAt: string | null = null
  readonly calls = new ModelCalls()

  constructor({ inPieces }: Pick<CodingSession, 'inPieces'>) {
    this.#inPieces = inPieces
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq
  }
  /** When the CLI said something first. */
  get firstAt(): string | null {
    return this.#firstAt
  }
  get dropped(): number {
    return this.#dropped
  }
  get used(): Used {
    return together(this.#usedBefore, this.#usedNow)
  }
  /** A new array at each call; its rows are the same objects as long as they have not changed. */
  get entries(): Entry[] {
    return [...this.#entries]
  }

  /** Events that it has already are skipped, so a stream may begin again anywhere before. */
  apply(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.seq <= this.#seq) continue
      this.#seq = event.seq
      this.#firstAt ??= event.at
      this.#take(event)
    }
    while (this.#entries.length > ENTRIES_MAX) this.#drop()
  }

  /** The task has ended: what still runs will have no result. */
  end(): void {
    for (const [index, entry] of this.#entries.entries()) {
      if (entry.kind === 'step' && entry.state === 'running') this.#entries[index] = { ...entry, state: 'left' }
      if (entry.kind === 'question' && entry.answer === null) this.#entries[index] = { ...entry, isLeft: true }
    }
  }

  #take(event: RunEvent): void {
    switch (event.type) {
      case 'text':
      case 'thinking':
        return this.#write(event)
      case 'tool_call':
        return this.#call(event)
      case 'tool_result':
        return this.#result(event)
      case 'command':
        return this.#command(event)
      case 'file_change':
        return this.#change(event)
      case 'plan':
        return this.#plans(event)
      case 'usage':
        this.#usedNow = usedBy(event.models)
        this.calls.take(event)
        return
      case 'status':
        return this.#status(event)
      case 'validation':
        return this.#validation(event)
      case 'limit':
        return this.#push(noted(event, 'warning', event.message, event.resetsAt))
      case 'question':
        return this.#question(event)
      case 'answer':
        return this.#answered(event)
      case 'error':
        return this.#fail(event)
      case 'result':
        return this.#answer(event)
    }
  }

  #push(entry: Entry): void {
    this.#entries.push(entry)
  }

  #place(): number {
    return this.#dropped + this.#entries.length
  }
  #at(place: number | null | undefined): Entry | undefined {
    return place === null || place === undefined ? undefined : this.#entries[place - this.#dropped]
  }
  #put(place: number, entry: Entry): void {
    this.#entries[place - this.#dropped] = entry
  }

  #write({ type, text, seq, at }: EventOf<'text' | 'thinking'>): void {
    const last = this.#entries.at(-1)
    const continues = last?.kind === type && this.#inPieces.includes(type)
    if (continues && last.text.length + text.length <= JOINED_MAX) {
      this.#entries[this.#entries.length - 1] = { ...last, text: last.text + text }
      return
    }
    if (text.trim() === '') return
    if (type === 'text') this.#text = this.#place()
    this.#push({ kind: type, id: seq, at, text, isAnswer: false })
  }

  /** The step of a call, or a new one. */
  #step(event: RunEvent & { readonly callId: string | null }, name: string): [place: number, step: StepEntry] {
    const known = event.callId === null ? undefined : this.#calls.get(event.callId)
    const step = this.#at(known)
    if (known !== undefined && step?.kind === 'step') return [known, step]
    const place = this.#place()
    const fresh: StepEntry = {
      ...{ kind: 'step', id: event.seq, at: event.at, callId: event.callId, name, object: '', input: null, edit: null },
      ...{
        command: null,
        changes: [],
        result: null,
        isAsked: false,
        isRefused: false,
        state: 'running',
        endedAt: null,
      },
    }
    this.#push(fresh)
    if (event.callId !== null) this.#calls.set(event.callId, place)
    return [place, fresh]
  }

  #call(event: EventOf<'tool_call'>): void {
    const [place, step] = this.#step(event, event.name)
    const edit = editIn(event.input)
    const input = edit === null ? cut(textOf(event.input), event.seq) : null
    this.#put(place, { ...step, name: event.name, object: objectOf(event.input), input, edit })
  }

  #result(event: EventOf<'tool_result'>): void {
    // Without an id, the result belongs to the call right before it.
    const last = this.#entries.at(-1)
    const isNext = event.callId === null && last?.kind === 'step' && last.state === 'running'
    const [place, step] = isNext ? [this.#place() - 1, last] : this.#step(event, '')
    const state = event.isError ? 'failed' : 'done'
    this.#put(place, { ...step, result: cut(event.text, event.seq), state, endedAt: event.at })
  }

  #command(event: EventOf<'command'>): void {
    const last = this.#entries.at(-1)
    const isNext =
      event.callId === null && event.state === 'ended' && last?.kind === 'step' && last.command?.exitCode === null
    const [place, step] = isNext ? [this.#place() - 1, last] : this.#step(event, 'Shell')
    const { command, exitCode, output } = event
    if (event.state === 'started') return this.#put(place, { ...step, command: { command, exitCode: null } })
    const hasFailed = exitCode !== null && exitCode !== 0
    const result = output === '' ? step.result : cut(output, event.seq)
    const state = hasFailed ? 'failed' : 'done'
    this.#put(place, { ...step, command: { command, exitCode }, result, state, endedAt: event.at })
  }

  #change(event: EventOf<'file_change'>): void {
    const [place, step] = this.#step(event, 'Edit')
    const changes = [...step.changes, { path: event.path, change: event.change }]
    const state = step.state === 'running' ? 'done' : step.state
    this.#put(place, { ...step, changes, state, endedAt: step.endedAt ?? event.at })
  }

  #plans({ seq, at, items }: EventOf<'plan'>): void {
    const before = this.#at(this.#plan)
    if (this.#plan !== null && before?.kind === 'plan') {
      const isLast = this.#plan === this.#place() - 1
      if (isLast) return this.#put(this.#plan, { ...before, items })
      this.#put(this.#plan, { ...before, isLatest: false })
    }
    this.#plan = this.#place()
    this.#push({ kind: 'plan', id: seq, at, items, isLatest: true })
  }

  #question({ seq, at, requestId, callId, title }: EventOf<'question'>): void {
    this.#asked.set(requestId, this.#place())
    this.#push({ kind: 'question', id: seq, at, requestId, callId, title, answer: null, isLeft: false })
    this.#ask(callId, { isAsked: true, isRefused: false })
  }

  #answered({ at, requestId, decision, text, by }: EventOf<'answer'>): void {
    const place = this.#asked.get(requestId)
    const entry = this.#at(place)
    this.#asked.delete(requestId)
    if (place === undefined || entry?.kind !== 'question') return
    this.#put(place, { ...entry, answer: { text, by, at } })
    this.#ask(entry.callId, { isAsked: false, isRefused: decision === 'deny' || decision === 'cancel' })
  }

  #ask(callId: string | null, asked: Pick<StepEntry, 'isAsked' | 'isRefused'>): void {
    const place = callId === null ? undefined : this.#calls.get(callId)
    const step = this.#at(place)
    if (place !== undefined && step?.kind === 'step') this.#put(place, { ...step, ...asked })
  }

  #status(event: EventOf<'status'>): void {
    if (event.status === 'started' || event.status === 'resumed') {
      // A new process of the CLI counts from the beginning.
      this.#usedBefore = this.used
      this.#usedNow = NOTHING_USED
      this.calls.beginProcess()
    }
    if (event.message.trim() === '') return
    const wait = event.status === 'retrying' ? 'begins' : event.status === 'resumed' ? 'over' : null
    this.#push(noted(event, wait === 'begins' ? 'warning' : 'quiet', event.message, null, wait))
  }

  #validation(event: EventOf<'validation'>): void {
    const { state, repair, message } = event
    const isGood = state === 'running' || state === 'passed'
    this.#push({ ...noted(event, isGood ? 'quiet' : 'warning', message), gate: { state, repair } })
  }

  /** Some CLIs tell a notice with the same words right before. */
  #fail(event: EventOf<'error'>): void {
    const last = this.#entries.at(-1)
    if (last?.kind === 'note' && last.text === event.message) this.#put(this.#place() - 1, { ...last, tone: 'error' })
    else this.#push(noted(event, 'error', event.message))
  }

  /** The CLI's last answer, which most CLIs have told as text before. */
  #answer(event: EventOf<'result'>): void {
    const last = this.#at(this.#text)
    if (event.text.trim() === '') return
    if (event.isError) {
      const isTold = this.#entries.some(
        ({ kind, ...row }) => kind === 'note' && 'text' in row && row.text === event.text,
      )
      if (!isTold) this.#push(noted(event, 'error', event.text))
      return
    }
    if (this.#text !== null && last?.kind === 'text' && last.text.trim() === event.text.trim()) {
      this.#put(this.#text, { ...last, isAnswer: true } satisfies TextEntry)
      return
    }
    this.#push({ kind: 'text', id: event.seq, at: event.at, text: event.text, isAnswer: true })
  }

  #drop(): void {
    this.#entries.splice(0, DROPPED_AT_ONCE)
    this.#dropped += DROPPED_AT_ONCE
    for (const places of [this.#calls, this.#asked])
      for (const [id, place] of places) if (place < this.#dropped) places.delete(id)
  }
}

/** The text of a tool's input, for readers. */
const textOf = (input: unknown): string => {
  if (typeof input === 'string') return input
  return input === null || input === undefined ? '' : JSON.stringify(input, null, 2)
}
