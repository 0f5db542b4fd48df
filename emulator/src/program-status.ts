/**
 * The program status protocol (OSC 7501): a coding CLI says itself whether it works, waits for an answer or has finished.
 * What it says comes from a container and is checked as such; a report that breaks a bound counts for nothing.
 */
import type { IDisposable, IParser } from '@xterm/headless'
import { decodeBase64, encodeBase64 } from './base64.ts'

const STATUS_OSC = 7501
/** Where a shell's prompt begins (FinalTerm's marks). */
const PROMPT_OSC = 133

/** `blocked`: it cannot go on until somebody answers. `done` and `error`: finished, with a result to be looked at. */
export type ProgramState = 'idle' | 'working' | 'blocked' | 'done' | 'error'
export type BlockedKind = 'permission' | 'question' | 'auth'

export interface StatusReport {
  /** Empty for the program itself, a path for a part of it. */
  id: string
  /** Null takes the record back, with all below it. */
  state: ProgramState | null
  kind: BlockedKind | null
  message: string | null
}

/** Of the whole report, in characters, and of its parts: the protocol's own limits. */
const REPORT_MAX = 4096
const ID = /^(?=.{1,128}$)[\w.+-]{1,32}(?:\/[\w.+-]{1,32}){0,7}$/
const MESSAGE_BYTES_MAX = 2048
/** Most records of one terminal; the protocol wants at least these. The oldest makes room. */
const RECORDS_MAX = 64

const STATES: readonly string[] = ['idle', 'working', 'blocked', 'done', 'error'] satisfies ProgramState[]
const KINDS: readonly string[] = ['permission', 'question', 'auth'] satisfies BlockedKind[]

/** Asks whether this terminal knows the protocol: no report. */
const QUERY = '?'

/** Reads what stands behind `7501;`; null where it is to be ignored. */
export function parseStatus(payload: string): StatusReport | null {
  if (payload.length > REPORT_MAX) return null
  const pairs = new Map<string, string>()
  for (const pair of payload.split(':')) {
    const at = pair.indexOf('=')
    if (at > 0) pairs.set(pair.slice(0, at), pair.slice(at + 1))
  }
  const state = pairs.get('state') ?? ''
  const id = pairs.get('id') ?? ''
  const kind = pairs.get('kind') ?? null
  const message = textOf(pairs.get('msg'))
  if (!(STATES.includes(state) || state === 'clear') || (id !== '' && !ID.test(id))) return null
  if ((kind !== null && !KINDS.includes(kind)) || message === undefined) return null
  return { id, state: state === 'clear' ? null : (state as ProgramState), kind: kind as BlockedKind | null, message }
}

/** Base64 of UTF-8; null where there is none, undefined where it is nothing of the kind. */
function textOf(value: string | undefined): string | null | undefined {
  if (value === undefined || value === '') return null
  const text = decodeBase64(value, MESSAGE_BYTES_MAX)
  return text === null || /\p{Cc}/u.test(text) ? undefined : text
}

/** What changed with a report, as far as a person has to know. */
export type StatusNews =
  { kind: 'waits'; report: StatusReport } | { kind: 'finished'; failed: boolean } | { kind: 'none' }

/** What a program and its parts have said last, by their ids; the newest is the last. */
export type StatusRecords = ReadonlyMap<string, StatusReport>

/** What a program and its parts have said last in the output of one emulator. */
export class ProgramStatus {
  #records = new Map<string, StatusReport>()
  readonly #handlers: readonly IDisposable[]

  /** `hear` is told of each change. */
  constructor(parser: IParser, hear: (news: StatusNews) => void = () => undefined) {
    const nothing: StatusNews = { kind: 'none' }
    this.#handlers = [
      parser.registerOscHandler(STATUS_OSC, (payload) => {
        if (payload.startsWith(QUERY)) return false
        const report = parseStatus(payload)
        if (report !== null) hear(this.#apply(report))
        return true
      }),
      // Whatever ran before the prompt has ended, and perhaps without a word.
      parser.registerOscHandler(PROMPT_OSC, (payload) => {
        if (payload.startsWith('A')) {
          this.#dropUnfinished()
          hear(nothing)
        }
        return false
      }),
      // A full reset; xterm does its own part of it.
      parser.registerEscHandler({ final: 'c' }, () => {
        this.reset()
        hear(nothing)
        return false
      }),
    ]
  }

  /** Whether any part waits for somebody. */
  get blocked(): boolean {
    return [...this.#records.values()].some(({ state }) => state === 'blocked')
  }

  /** What to write to another emulator, after a full reset, for it to know the same. */
  restoring(): string {
    return [...this.#records.values()].map((report) => `\x1b]${STATUS_OSC};${printed(report)}\x1b\\`).join('')
  }

  /** What it knows, and does not any more. */
  take(): StatusRecords {
    const records = this.#records
    this.#records = new Map()
    return records
  }

  /** What somebody has to know now who knew that before. */
  newsSince(before: StatusRecords): StatusNews {
    const news = [...this.#records.values()].map((report) => newsOf(before.get(report.id), report))
    const question = news.findLast(({ kind }) => kind === 'waits')
    return question ?? news.find(({ kind }) => kind === 'finished') ?? { kind: 'none' }
  }

  /** Another program begins, or none. */
  reset(): void {
    this.#records.clear()
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }

  #apply(report: StatusReport): StatusNews {
    const before = this.#records.get(report.id)
    this.#records.delete(report.id)
    if (report.state === null) {
      for (const id of [...this.#records.keys()]) if (isBelow(id, report.id)) this.#records.delete(id)
      return { kind: 'none' }
    }
    this.#records.set(report.id, report)
    if (this.#records.size > RECORDS_MAX) this.#records.delete(this.#records.keys().next().value!)
    return newsOf(before, report)
  }

  #dropUnfinished(): void {
    for (const [id, { state }] of [...this.#records])
      if (state === 'working' || state === 'blocked') this.#records.delete(id)
  }
}

const printed = ({ id, state, kind, message }: StatusReport): string =>
  [
    `state=${state}`,
    id !== '' && `id=${id}`,
    kind !== null && `kind=${kind}`,
    message !== null && `msg=${encodeBase64(message)}`,
  ]
    .filter(Boolean)
    .join(':')

const isBelow = (id: string, above: string): boolean => above === '' || id.startsWith(`${above}/`)

function newsOf(before: StatusReport | undefined, now: StatusReport): StatusNews {
  const same = before?.state === now.state && before.message === now.message
  if (now.state === 'blocked') return same ? { kind: 'none' } : { kind: 'waits', report: now }
  // A part that has finished is no end of the whole; and some programs go back to idle without a word of done.
  const worked = before?.state === 'working' || before?.state === 'blocked'
  if (now.id !== '' || !worked || now.state === 'working') return { kind: 'none' }
  return { kind: 'finished', failed: now.state === 'error' }
}
