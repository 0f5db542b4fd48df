import {
  ProgramStatus,
  type BlockedKind,
  type StatusNews,
  type StatusRecords,
  type StatusReport,
} from '@slipway/emulator'
import type { IDisposable, Terminal } from '@xterm/xterm'
import { KittyNotices, parseOsc777, parseOsc9, shownText } from './notices.ts'

/** Why the program wants attention: it `waits` for an answer, sent a `message`, has `finished`, or rang the `bell`. */
export interface Attention {
  kind: 'waits' | 'message' | 'finished' | 'bell'
  /** Words of the program or of the page. */
  text: string
}

/** Of two requests, the one with the higher rank stays. */
const RANK: Record<Attention['kind'], number> = { bell: 0, finished: 1, message: 2, waits: 3 }
export const outranks = (one: Attention, other: Attention): boolean => RANK[one.kind] >= RANK[other.kind]

const WAITS: Record<BlockedKind, string> = {
  permission: 'asks for permission',
  question: 'has a question',
  auth: 'needs a sign-in',
}
/** Gemini CLI shows that it waits only by the first character of its title. */
const WAITING_TITLE = '✋'
const byTitle = (): Attention => ({ kind: 'waits', text: 'waits for you' })

/** `isNews`: the page saw it begin. Null if the program no longer waits for the user. */
export type HearAttention = (attention: Attention | null, isNews: boolean) => void

/**
 * Watches a terminal's output for requests for attention: the program status protocol, the notifications of OSC 9, 99
 * and 777, the bell, and one CLI's title. During a redraw, only the present state counts.
 */
export class AttentionWatch {
  readonly #status: ProgramStatus
  readonly #notices = new KittyNotices()
  readonly #handlers: readonly IDisposable[]
  readonly #hear: HearAttention
  #titleWaits = false
  /** What was known when the redraw began. Null outside a redraw. */
  #before: { readonly records: StatusRecords; readonly titleWaits: boolean } | null = null
  /** Whether this page has seen all output of the program, up to now or up to {@link redraw}. */
  #follows = false

  constructor(terminal: Terminal, hear: HearAttention) {
    this.#hear = hear
    const { parser } = terminal
    const message = (text: string | null): boolean => {
      if (text !== null) this.#passing({ kind: 'message', text })
      return true
    }
    this.#status = new ProgramStatus(parser, (news) => this.#reported(news))
    this.#handlers = [
      this.#status,
      parser.registerOscHandler(9, (payload) => message(parseOsc9(payload))),
      parser.registerOscHandler(777, (payload) => message(parseOsc777(payload))),
      parser.registerOscHandler(99, (payload) => message(this.#notices.take(payload))),
      terminal.onBell(() => this.#passing({ kind: 'bell', text: 'rang the bell' })),
      terminal.onTitleChange((title) => this.#titled(title)),
    ]
  }

  /** A program starts. */
  begin(): void {
    this.reset()
    this.#follows = true
  }

  /** No program runs. */
  reset(): void {
    this.#forget()
    this.#before = null
    this.#follows = false
    this.#hear(null, true)
  }

  /** The output up to {@link redrawn} is the screen of a running program. */
  redraw(): void {
    this.#before ??= { records: this.#status.take(), titleWaits: this.#titleWaits }
    this.#forget()
  }

  /** The redraw is complete. Changes since {@link redraw} are news, unless this page has just opened. */
  redrawn(): void {
    const before = this.#before
    if (before === null) return
    const isNews = this.#follows
    this.#before = null
    this.#follows = true
    this.#tell(this.#status.newsSince(before.records), isNews)
    if (this.#titleWaits && !before.titleWaits) this.#hear(byTitle(), isNews)
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }

  #forget(): void {
    this.#status.reset()
    this.#notices.reset()
    this.#titleWaits = false
  }

  /** Messages and bells are moments, not states. A redraw repeats old ones, so it ignores them. */
  #passing(attention: Attention): void {
    if (this.#before === null) this.#hear(attention, true)
  }

  #reported(news: StatusNews): void {
    if (this.#before === null) this.#tell(news, true)
  }

  #tell(news: StatusNews, isNews: boolean): void {
    if (news.kind === 'waits') return this.#hear(asked(news.report), isNews)
    if (!this.#status.blocked && !this.#titleWaits) this.#hear(null, isNews)
    if (news.kind === 'finished')
      this.#hear({ kind: 'finished', text: news.failed ? 'has failed' : 'has finished' }, isNews)
  }

  #titled(title: string): void {
    const waits = title.startsWith(WAITING_TITLE)
    if (waits === this.#titleWaits) return
    this.#titleWaits = waits
    if (this.#before === null) this.#hear(waits ? byTitle() : null, true)
  }
}

const asked = ({ kind, message }: StatusReport): Attention => {
  const words = kind === null ? 'waits for you' : WAITS[kind]
  const said = message === null ? null : shownText(message)
  return { kind: 'waits', text: said === null ? words : `${words}: ${said}` }
}
