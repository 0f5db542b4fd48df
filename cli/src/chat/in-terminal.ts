/** A conversation in a terminal: what is said appears above the line in which the user writes. */
import type { ConversationMessage } from '@slipway/protocol'
import type { Client } from '../api/client.ts'
import { interruptTurn, queueOf, sendMessage } from '../api/conversations.ts'
import { EXIT, SlipwayError } from '../api/errors.ts'
import type { Context } from '../arguments/context.ts'
import { plainLine } from '../output/plain.ts'
import { textReport } from '../output/report.ts'
import { TtyUi } from '../tty/tty-ui.ts'
import { Keyboard, LinesAbove } from './keyboard.ts'
import { entryOf, HELP } from './entries.ts'
import { Talk } from './talk.ts'
import { goesOnWith, say, type Wanted } from './wanted.ts'

/** Turns that are shown of a conversation that goes on. */
const RECALLED = 3

export const chatInTerminal = async (client: Client, wanted: Wanted, context: Context): Promise<number> => {
  const chat = new TerminalChat(client, wanted, context)
  return chat.run()
}

class TerminalChat {
  readonly #client: Client
  readonly #context: Context
  #wanted: Wanted
  readonly #keyboard: Keyboard
  readonly #lines: LinesAbove
  /** Aborted when the user leaves. */
  readonly #left = new AbortController()
  readonly #signal: AbortSignal
  #exitCode: number = EXIT.done
  #talk: Talk | null = null
  /** The task that was interrupted here. Ctrl+C leaves it the second time. */
  #interrupted: string | null = null
  #whenBegun: (() => void) | null = null
  /** What was typed is done in its order. */
  #work: Promise<void> = Promise.resolve()

  constructor(client: Client, wanted: Wanted, context: Context) {
    this.#client = client
    this.#wanted = wanted
    this.#context = context
    this.#signal = AbortSignal.any([context.interrupted, this.#left.signal])
    const { stdin: input, out } = context
    this.#keyboard = new Keyboard({
      ...{ input, output: out.stderr },
      onText: (text) => this.#typed(text),
      onInterrupt: () => this.#interrupt(),
      onEnd: () => this.#leave(EXIT.done),
    })
    this.#lines = new LinesAbove(() => this.#keyboard)
  }

  async run(): Promise<number> {
    const { id } = this.#wanted
    try {
      if (id === null) await this.#begun()
      else await this.#show(id, RECALLED)
      return EXIT.done
    } catch (error) {
      if (!this.#left.signal.aborted) throw error
      return this.#exitCode
    } finally {
      this.#keyboard.close()
      if (this.#wanted.id !== null) this.#context.out.note(goesOnWith(this.#wanted.id))
    }
  }

  /** Waits for the first message, and shows the conversation that it begins. */
  async #begun(): Promise<void> {
    this.#note(HELP)
    this.#keyboard.open()
    await new Promise<void>((resolve, reject) => {
      this.#whenBegun = resolve
      this.#signal.addEventListener('abort', () => reject(new Error('left')), { once: true })
    })
    await this.#show(this.#wanted.id ?? '', 0)
  }

  /** Shows a conversation until the user leaves. */
  async #show(id: string, recalled: number): Promise<void> {
    const { stdin: input, out } = this.#context
    const talk = this.#newTalk(id, new TtyUi({ input, output: out.stderr, held: this.#lines }))
    if (recalled > 0) await talk.recall(recalled)
    this.#keyboard.open()
    await talk.until(() => false)
  }

  #newTalk(id: string, ui: TtyUi): Talk {
    const { out } = this.#context
    this.#talk ??= new Talk({
      ...{ client: this.#client, id, ui, signal: this.#signal },
      report: textReport(this.#lines.to(out.stdout)),
      message: (message) => this.#note(`\n» ${wordsOf(message)}`),
      note: (text) => this.#note(text),
    })
    return this.#talk
  }

  #note(text: string): void {
    this.#keyboard.above(() => this.#context.out.note(text))
  }

  #leave(exitCode: number): void {
    this.#exitCode = exitCode
    this.#left.abort()
  }

  #interrupt(): void {
    const run = this.#talk?.run ?? null
    if (run === null || run.id === this.#interrupted) return this.#leave(EXIT.interrupted)
    this.#interrupted = run.id
    this.#note('The turn is interrupted. Ctrl+C again leaves.')
    this.#do(async () => void (await interruptTurn(this.#client, this.#wanted.id ?? '', run.id, this.#signal)))
  }

  #typed(text: string): void {
    const entry = entryOf(text)
    if (entry.kind === 'quit') return this.#leave(EXIT.done)
    // The turn that is shown now, not one that begins while what was typed before is done.
    const runId = this.#talk?.run?.id ?? null
    this.#do(() => this.#act(entry, runId))
  }

  #do(act: () => Promise<void>): void {
    this.#work = this.#work.then(act).catch((error: unknown) => {
      if (this.#signal.aborted) return
      this.#note(`✗ ${error instanceof SlipwayError ? error.message : String(error)}`)
    })
  }

  async #act(entry: Exclude<ReturnType<typeof entryOf>, { kind: 'quit' }>, runId: string | null): Promise<void> {
    switch (entry.kind) {
      case 'nothing':
        return
      case 'help':
        return this.#note(HELP)
      case 'unknown':
        return this.#note(`There is no command ${entry.name}. ${HELP}`)
      case 'say':
        return this.#say(entry.text)
    }
    const { id } = this.#wanted
    if (id === null) return this.#note('The conversation has not begun. Write the first message.')
    switch (entry.kind) {
      case 'interrupt':
        return void (await interruptTurn(this.#client, id, runId, this.#signal))
      case 'queue':
        return this.#note(queueInWords(await queueOf(this.#client, id, this.#signal)))
      case 'steer':
        return this.#steer(id, entry.text)
    }
  }

  async #steer(id: string, text: string): Promise<void> {
    const message = await sendMessage(this.#client, id, { text, how: 'steer' }, this.#signal)
    this.#talk?.wrote(message)
    this.#note(message.state === 'steered' ? '· The turn has it.' : '· No turn runs, so it is the next one.')
  }

  async #say(text: string): Promise<void> {
    const said = await say(this.#client, this.#wanted, text, this.#signal)
    if (said.kind === 'sent') {
      this.#talk?.wrote(said.message)
      if (said.message.state === 'queued') this.#note('· It waits for its turn.')
      return
    }
    this.#wanted = { ...this.#wanted, id: said.conversation.id }
    this.#whenBegun?.()
  }
}

/** Longest text of a message that waits, in one line, in UTF-16 code units. */
const WAITING_MAX = 80

const queueInWords = (queue: readonly ConversationMessage[]): string =>
  queue.length === 0
    ? 'No message waits.'
    : queue.map(({ text }, index) => `${index + 1}. ${plainLine(text).slice(0, WAITING_MAX)}`).join('\n')

const STATES: Readonly<Record<string, string>> = {
  terminal: ' (in a terminal)',
  steered: ' (given to the turn)',
  released: ' (not sent, because a turn failed)',
  refused: ' (refused)',
}

const wordsOf = ({ text, state, answer }: ConversationMessage): string =>
  [`${text}${STATES[state] ?? ''}`, ...(answer === null ? [] : ['', answer])].join('\n')
