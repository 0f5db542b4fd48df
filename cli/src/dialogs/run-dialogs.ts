/** The open questions of one task: each is shown once, and closed where another person was faster. */
import type { Dialog } from '@slipway/protocol'
import { isTransient, retryMs } from '../api/again.ts'
import type { Client } from '../api/client.ts'
import { SlipwayError } from '../api/errors.ts'
import type { Ui } from '../ui/ui.ts'
import { askDialog } from './ask.ts'
import { sendSurely } from './send.ts'

/** How long after a look the next one is for a question that is not there yet, in milliseconds. */
const AGAIN_MS = 500

export class RunDialogs {
  readonly #client: Client
  readonly #runId: string
  readonly #ui: Ui
  readonly #signal: AbortSignal
  /** The questions that are shown, by their ids. A task has 20 at most. */
  readonly #shown = new Map<string, AbortController>()
  /** The open questions that were shown, so that none comes back after a time-out. */
  readonly #seen = new Set<string>()
  readonly #asking = new Set<Promise<void>>()
  /** The requests that the task has told of, and that are not open yet: the server stores the event first. */
  readonly #expected = new Set<string>()
  #again: NodeJS.Timeout | undefined
  /** How often the server has not answered since the last look. */
  #failures = 0
  readonly #end = new AbortController()
  #looking: Promise<void> = Promise.resolve()
  #isToLook = false

  constructor(client: Client, runId: string, ui: Ui, signal: AbortSignal) {
    this.#client = client
    this.#runId = runId
    this.#ui = ui
    this.#signal = AbortSignal.any([signal, this.#end.signal])
  }

  /** The task has told of a question. */
  asked(requestId: string): void {
    this.#expected.add(requestId)
    void this.#lookSoon()
  }

  /** The task has told of an answer. */
  answered(requestId: string): void {
    this.#expected.delete(requestId)
    void this.#lookSoon()
  }

  #lookSoon(): Promise<void> {
    if (this.#isToLook) return this.#looking
    this.#isToLook = true
    this.#looking = this.#looking.then(() => {
      this.#isToLook = false
      return this.#look()
    })
    return this.#looking
  }

  /** Withdraws what is shown, and waits until nothing is. */
  async end(): Promise<void> {
    this.#end.abort()
    clearTimeout(this.#again)
    await this.#looking
    for (const shown of this.#shown.values()) shown.abort()
    await Promise.all(this.#asking)
  }

  async #look(): Promise<void> {
    const query = { session: this.#runId, state: 'open' }
    const open = await this.#client
      .json<Dialog[]>('GET', '/dialogs', { query, signal: this.#signal })
      .catch((error: unknown) => this.#lookFailed(error))
    if (open === null || this.#signal.aborted) return
    this.#failures = 0
    for (const { requestId } of open) if (requestId !== null) this.#expected.delete(requestId)
    if (this.#expected.size > 0) this.#lookAfter(AGAIN_MS)
    const ids = new Set(open.map(({ id }) => id))
    for (const [id, shown] of this.#shown) if (!ids.has(id)) shown.abort()
    for (const id of this.#seen) if (!ids.has(id)) this.#seen.delete(id)
    for (const dialog of open.toReversed()) {
      if (this.#seen.has(dialog.id)) continue
      this.#seen.add(dialog.id)
      const asking = this.#ask(dialog).finally(() => this.#asking.delete(asking))
      this.#asking.add(asking)
    }
  }

  /** The user is told once that the server does not answer. */
  #lookFailed(error: unknown): null {
    if (this.#signal.aborted) return null
    const isLost = isTransient(error)
    if (!isLost || this.#failures === 0) this.#ui.notify(messageOf(error), 'warning')
    if (isLost) this.#lookAfter(retryMs(this.#failures++, error))
    return null
  }

  #lookAfter(ms: number): void {
    clearTimeout(this.#again)
    this.#again = setTimeout(() => void this.#lookSoon(), ms)
  }

  async #ask(dialog: Dialog): Promise<void> {
    const shown = new AbortController()
    this.#shown.set(dialog.id, shown)
    try {
      const reply = await askDialog(this.#ui, dialog, { signal: shown.signal })
      if (reply.kind === 'none') {
        if (reply.error !== 'withdrawn')
          this.#ui.notify(`There was no answer (${reply.message}). The question stays open.`, 'warning')
        return
      }
      await sendSurely(this.#client, dialog.id, reply, {
        signal: this.#signal,
        onLost: ({ message }) => this.#ui.notify(`${message} Your answer is sent again.`, 'warning'),
      })
    } catch (error) {
      this.#ui.notify(messageOf(error), 'warning')
    } finally {
      this.#shown.delete(dialog.id)
    }
  }
}

const messageOf = (error: unknown): string =>
  error instanceof SlipwayError ? error.message : 'The question could not be shown.'
