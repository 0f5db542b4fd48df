import type { IDisposable, Terminal } from '@xterm/xterm'
import { KittyNotices, parseOsc777, parseOsc9, shownText } from './notices.ts'
import { parseStatus, ProgramStatus, STATUS_ANSWER, STATUS_QUERY, type BlockedKind } from './programStatus.ts'

/** Why somebody should look: it `waits` for an answer, sent a `message`, has `finished`, or rang the `bell`. */
export interface Attention {
  kind: 'waits' | 'message' | 'finished' | 'bell'
  /** In words, of the program's or of ours. */
  text: string
}

/** The stronger one stays where two come together. */
const RANK: Record<Attention['kind'], number> = { bell: 0, finished: 1, message: 2, waits: 3 }
export const outranks = (one: Attention, other: Attention): boolean => RANK[one.kind] >= RANK[other.kind]

const WAITS: Record<BlockedKind, string> = {
  permission: 'asks for permission',
  question: 'has a question',
  auth: 'needs a sign-in',
}
/** Gemini CLI says by the first sign of its title that it waits, and nothing else says it. */
const WAITING_TITLE = '✋'

/**
 * Listens in a terminal's output for what asks a person to look: the program status protocol, the notifications of OSC
 * 9, 99 and 777, the bell, and one CLI's title.
 */
export class AttentionWatch {
  readonly #status = new ProgramStatus()
  readonly #notices = new KittyNotices()
  readonly #handlers: readonly IDisposable[]
  readonly #onAttention: (attention: Attention | null) => void
  #titleWaits = false

  /** `onAttention` is given null when nobody is waited for any more. */
  constructor(terminal: Terminal, onAttention: (attention: Attention | null) => void) {
    this.#onAttention = onAttention
    const { parser } = terminal
    const message = (text: string | null): boolean => {
      if (text !== null) onAttention({ kind: 'message', text })
      return true
    }
    this.#handlers = [
      parser.registerOscHandler(7501, (payload) => {
        if (payload.startsWith(STATUS_QUERY)) terminal.input(STATUS_ANSWER, false)
        else this.#report(payload)
        return true
      }),
      parser.registerOscHandler(9, (payload) => message(parseOsc9(payload))),
      parser.registerOscHandler(777, (payload) => message(parseOsc777(payload))),
      parser.registerOscHandler(99, (payload) => message(this.#notices.take(payload))),
      terminal.onBell(() => onAttention({ kind: 'bell', text: 'rang the bell' })),
      terminal.onTitleChange((title) => this.#titled(title)),
    ]
  }

  /** Another program begins, or none. */
  reset(): void {
    this.#status.reset()
    this.#notices.reset()
    this.#titleWaits = false
    this.#onAttention(null)
  }

  dispose(): void {
    for (const handler of this.#handlers) handler.dispose()
  }

  #report(payload: string): void {
    const report = parseStatus(payload)
    if (report === null) return
    const news = this.#status.apply(report)
    if (news.kind === 'waits') {
      const { kind, message } = news.report
      const words = kind === null ? 'waits for you' : WAITS[kind]
      const said = message === null ? null : shownText(message)
      this.#onAttention({ kind: 'waits', text: said === null ? words : `${words}: ${said}` })
      return
    }
    if (!this.#status.blocked) this.#onAttention(null)
    if (news.kind === 'finished')
      this.#onAttention({ kind: 'finished', text: news.failed ? 'has failed' : 'has finished' })
  }

  #titled(title: string): void {
    const waits = title.startsWith(WAITING_TITLE)
    if (waits === this.#titleWaits) return
    this.#titleWaits = waits
    this.#onAttention(waits ? { kind: 'waits', text: 'waits for you' } : null)
  }
}
