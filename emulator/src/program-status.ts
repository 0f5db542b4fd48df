/**
 * The program status protocol (OSC 7501): a coding CLI reports whether it works, waits for an answer or has finished.
 * The report comes from a container and is validated. One that exceeds a limit is ignored.
 */
import type { IDisposable, IParser } from '@xterm/headless'
import { decodeBase64, encodeBase64 } from './base64.ts'

const STATUS_OSC = 7501
/** The beginning of a shell's prompt (FinalTerm's marks). */
const PROMPT_OSC = 133

/**
 * `blocked`: it waits for an answer of a user. `done` and `error`: it has finished, and a user should look at the
 * result.
 */
export type ProgramState = 'idle' | 'working' | 'blocked' | 'done' | 'error'
export type BlockedKind = 'permission' | 'question' | 'auth'

export interface StatusReport {
  /** Empty for the program itself, or the path of a part of it. */
  id: string
  /** Null removes the record, and all records below it. */
  state: ProgramState | null
  kind: BlockedKind | null
  message: string | null
}

/** Limits of the protocol: characters of a report, the form of an id, and bytes of a message. */
const REPORT_MAX = 4096
const ID = /^(?=.{1,128}$)[\w.+-]{1,32}(?:\/[\w.+-]{1,32}){0,7}$/
const MESSAGE_BYTES_MAX = 2048
/** Most records of one terminal; the protocol requires at least these. Beyond it the oldest is dropped. */
const RECORDS_MAX = 64

const STATES: readonly string[] = ['idle', 'working', 'blocked', 'done', 'error'] satisfies ProgramState[]
const KINDS: readonly string[] = ['permission', 'question', 'auth'] satisfies BlockedKind[]

/** A query whether this terminal knows the protocol. It is not a report. */
const QUERY = '?'

/** Parses the payload after `7501;`; null: it is ignored. */
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

/** Decodes base64 of UTF-8. Null: there is no value. Undefined: it is invalid. */
function textOf(value: string | undefined): string | null | undefined {
  if (value === undefined || value === '') return null
  const text = decodeBase64(value, MESSAGE_BYTES_MAX)
  return text === null || /\p{Cc}/u.test(text) ? undefined : text
}

/** What has changed for a user by a report. */
export type StatusNews =
  | { kind: 'waits'; report: StatusReport }
  | { kind: 'finished'; failed: boolean }
  | { kind: 'none' }

/** The latest reports of a program and its parts, by their ids. The newest is last. */
export type StatusRecords = ReadonlyMap<string, StatusReport>

/** Collects the latest reports of a program and its parts from the output of one emulator. */
export class ProgramStatus {
  #records = new Map<string, StatusReport>()
  readonly #handlers: readonly IDisposable[]

  /** `hear` is called with each change. */
  constructor(parser: IParser, hear: (news: StatusNews) => void = () => undefined) {
    const nothing: StatusNews = { kind: 'none' }
    this.#handlers = [
      parser.registerOscHandler(STATUS_OSC, (payload) => {
        if (payload.startsWith(QUERY)) return false
        const report = parseStatus(payload)
        if (report !== null) hear(this.#apply(report))
        return true
      }),
      // The program before the prompt has ended, perhaps without a report.
      parser.registerOscHandler(PROMPT_OSC, (payload) => {
        if (payload.startsWith('A')) {
          this.#dropUnfinished()
          hear(nothing)
        }
        return false
      }),
      // A full reset. xterm does its own part of it.
      parser.registerEscHandler({ final: 'c' }, () => {
        this.reset()
        hear(nothing)
        return false
      }),
    ]
  }

  /** Whether the program or a part of it waits for a user. */
  get blocked(): boolean {
    return [...this.#records.values()].some(({ state }) => state === 'blocked')
  }

  /** The output that gives another emulator the same state, after a full reset. */
  restoring(): string {
    return [...this.#records.values()].map((report) => `\x1b]${STATUS_OSC};${printed(report)}\x1b\\`).join('')
  }

  /** Removes and returns all records. */
  take(): StatusRecords {
    const records = this.#records
    this.#records = new Map()
    return records
  }

  /** The news for a user who knows `before`. */
  newsSince(before: StatusRecords): StatusNews {
    const news = [...this.#records.values()].map((report) => newsOf(before.get(report.id), report))
    const question = news.findLast(({ kind }) => kind === 'waits')
    return question ?? news.find(({ kind }) => kind === 'finished') ?? { kind: 'none' }
  }

  /** Call it when another program begins, or none runs. */
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
  // The end of a part is not the end of the whole. And some programs return to idle without reporting done.
  const worked = before?.state === 'working' || before?.state === 'blocked'
  if (now.id !== '' || !worked || now.state === 'working') return { kind: 'none' }
  return { kind: 'finished', failed: now.state === 'error' }
}
