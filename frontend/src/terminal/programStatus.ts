/**
 * The program status protocol (OSC 7501): a coding CLI says itself whether it works, waits for an answer or has finished.
 * What it says comes from a container and is checked as such; a report that breaks a bound counts for nothing.
 */

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

/** Asks whether this terminal knows the protocol. The answer is the question. */
export const STATUS_QUERY = '?'
export const STATUS_ANSWER = '\x1b]7501;?\x1b\\'

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

/** Null for what is no base64 of valid UTF-8, or has more than `max` bytes. */
export function decodeBase64(value: string, max: number): string | null {
  if (value.length > Math.ceil(max / 3) * 4 + 4) return null
  try {
    const bytes = Uint8Array.from(atob(value), (character) => character.charCodeAt(0))
    return bytes.length > max ? null : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/** What changed with a report, as far as a person has to know. */
export type StatusNews =
  { kind: 'waits'; report: StatusReport } | { kind: 'finished'; failed: boolean } | { kind: 'none' }

/** What a program and its parts have said last. */
export class ProgramStatus {
  readonly #records = new Map<string, StatusReport>()

  /** Whether any part waits for somebody. */
  get blocked(): boolean {
    return [...this.#records.values()].some(({ state }) => state === 'blocked')
  }

  apply(report: StatusReport): StatusNews {
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

  reset(): void {
    this.#records.clear()
  }
}

const isBelow = (id: string, above: string): boolean => above === '' || id.startsWith(`${above}/`)

function newsOf(before: StatusReport | undefined, now: StatusReport): StatusNews {
  const same = before?.state === now.state && before.message === now.message
  if (now.state === 'blocked') return same ? { kind: 'none' } : { kind: 'waits', report: now }
  // A part that has finished is no end of the whole; and some programs go back to idle without a word of done.
  const worked = before?.state === 'working' || before?.state === 'blocked'
  if (now.id !== '' || !worked || now.state === 'working') return { kind: 'none' }
  return { kind: 'finished', failed: now.state === 'error' }
}
