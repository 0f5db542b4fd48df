/** Follows a conversation: shows what is said in it, each thing once, over lost connections. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CodingSession, Conversation, ConversationMessage, ConversationTurn } from '@slipway/protocol'
import { again } from '../api/again.ts'
import type { Client } from '../api/client.ts'
import { conversationOf, lastTurns, queueOf } from '../api/conversations.ts'
import { followRun, runOf } from '../api/runs.ts'
import { RunDialogs } from '../dialogs/run-dialogs.ts'
import { inLines } from '../output/pieces.ts'
import type { Report } from '../output/report.ts'
import type { Ui } from '../ui/ui.ts'

/** Pause between two looks at a conversation in which nothing happens, in milliseconds. */
const LOOK_EVERY_MS = 1_000
/** Turns of one look. More do not begin and end between two looks. */
const TURNS_PER_LOOK = 20

export interface TalkOptions {
  readonly client: Client
  readonly id: string
  readonly report: Report
  /** Null: questions are left to people elsewhere. */
  readonly ui: Ui | null
  readonly signal: AbortSignal
  /** Shows a message. */
  readonly message: (message: ConversationMessage) => void
  /** Shows a sentence about the conversation. */
  readonly note: (text: string) => void
}

export class Talk {
  readonly #options: TalkOptions
  /** The messages that were shown, or written here. Those of the last look are enough. */
  #shown: ReadonlySet<string> = new Set()
  readonly #own = new Set<string>()
  /** The task that is followed now. */
  #run: CodingSession | null = null
  #state = ''

  constructor(options: TalkOptions) {
    this.#options = options
  }

  /** The task of the turn that is shown now; null between two turns. */
  get run(): CodingSession | null {
    return this.#run
  }

  /** This message was written here, so it needs not be shown. */
  wrote({ id }: Pick<ConversationMessage, 'id'>): void {
    this.#own.add(id)
  }

  /** Shows the last turns that have ended, as many as this. That of a message that was written here is still to come. */
  async recall(count: number): Promise<void> {
    const { report, message } = this.#options
    const turns = (await this.#turns()).filter((turn) => !this.#own.has(turn.message.id))
    const past = turns.filter(({ run }) => run === null || run.completedAt !== null)
    this.#shown = new Set(past.map((turn) => turn.message.id))
    for (const turn of past.slice(-count)) {
      message(turn.message)
      const { run } = turn
      if (run?.result != null)
        report.event({ seq: 0, at: run.completedAt ?? run.createdAt, type: 'text', text: run.result })
      if (run !== null && run.state !== 'completed') report.ended(run)
    }
  }

  /**
   * Shows what is said, until this is true of a turn that has been shown. Rejects when the signal is aborted.
   *
   * @param awaited the message whose turn that is. If it was withdrawn, this resolves with null.
   */
  async until(isLast: (turn: ConversationTurn) => boolean, awaited?: string): Promise<ConversationTurn | null> {
    let seen = ''
    for (;;) {
      const conversation = await this.#again(() => conversationOf(this.#options.client, this.#options.id, this.#signal))
      this.#tell(conversation)
      const { lastActivityAt, currentRunId, turns, queued, state } = conversation
      const now = JSON.stringify([lastActivityAt, currentRunId, turns, queued, state])
      const fresh = now === seen ? [] : (await this.#turns()).filter(({ message }) => !this.#shown.has(message.id))
      for (const turn of fresh) {
        const shown = await this.#show(turn)
        if (isLast(shown)) return shown
      }
      if (fresh.length > 0) continue
      if (now !== seen && awaited !== undefined && !(await this.#has(awaited))) return null
      seen = now
      await pause(LOOK_EVERY_MS, undefined, { signal: this.#signal })
    }
  }

  get #signal(): AbortSignal {
    return this.#options.signal
  }

  #turns(): Promise<readonly ConversationTurn[]> {
    const { client, id } = this.#options
    return this.#again(() => lastTurns(client, id, { limit: TURNS_PER_LOOK, signal: this.#signal }))
  }

  /** Whether a message waits, or is among the last turns. The queue is read first: what has left it does not come back. */
  async #has(id: string): Promise<boolean> {
    const queue = await this.#again(() => queueOf(this.#options.client, this.#options.id, this.#signal))
    return queue.some((message) => message.id === id) || (await this.#turns()).some(({ message }) => message.id === id)
  }

  async #show(turn: ConversationTurn): Promise<ConversationTurn> {
    const { message, run } = turn
    this.#shown = new Set([...this.#shown, message.id].slice(-2 * TURNS_PER_LOOK))
    if (!this.#own.delete(message.id)) this.#options.message(message)
    if (message.state === 'refused') this.#options.note(`The message was refused: ${message.error ?? ''}`)
    return run === null ? turn : { message, run: await this.#follow(run) }
  }

  async #follow(run: CodingSession): Promise<CodingSession> {
    const { client, ui } = this.#options
    const report = inLines(this.#options.report, run)
    this.#run = run
    report.session(run)
    const dialogs = ui === null ? null : new RunDialogs(client, run.id, ui, this.#signal)
    try {
      for await (const event of followRun(client, run.id, { signal: this.#signal })) {
        report.event(event)
        if (event.type === 'question') dialogs?.asked(event.requestId)
        if (event.type === 'answer') dialogs?.answered(event.requestId)
      }
    } finally {
      await dialogs?.end()
      this.#run = null
    }
    const ended = await this.#again(() => runOf(client, run.id, this.#signal))
    report.ended(ended)
    return ended
  }

  /** Says why nothing goes on, once. */
  #tell({ state, activity, error }: Conversation): void {
    const now = state === 'errored' ? (error ?? 'The last turn failed.') : STATES[state] || STATES[activity] || ''
    if (now !== this.#state && now !== '') this.#options.note(now)
    this.#state = now
  }

  /** Asks again while the server does not answer, as long as a restart may take. */
  #again<T>(ask: () => Promise<T>): Promise<T> {
    const onLost = (): void => this.#options.note('Slipway does not answer. This goes on when it does.')
    return again(ask, { signal: this.#signal, onLost })
  }
}

const STATES: Readonly<Record<string, string>> = {
  archived: 'The conversation is archived, and takes no message.',
  terminal: 'A terminal continues the session. Messages wait until it ends.',
}
