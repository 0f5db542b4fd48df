/** Dialogs as JSON objects in lines: requests and notifications to one stream, responses from another. */
import { randomUUID } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import { jsonLine, LineSplitter, objectIn } from './lines.ts'
import { choiceOpts, errorIn, type Fits, isChoiceOf, isText, isYesOrNo, Requests, type Response } from './requests.ts'
import {
  answered,
  type AskOptions,
  type ChoiceOptions,
  type Clock,
  failed,
  type NoticeType,
  type Outcome,
  type SelectOption,
  systemClock,
  TIMEOUT_MS,
  type Ui,
  type WidgetContent,
} from './ui.ts'

/** Pause before the reader starts again after an error, in milliseconds. */
export const READER_PAUSE_MS = 100
/** How often the reader starts again without having read anything in between. Then the connection counts as closed. */
export const READER_RESTARTS_MAX = 10
/** Longest line of a client, in UTF-16 code units. */
const RESPONSE_MAX = 1024 * 1024
/** Most output that a client has not read, in bytes. A client that reads nothing counts as gone. */
export const UNREAD_BYTES_MAX = 16 * 1024 * 1024

export interface RpcOptions {
  /**
   * Opens the stream of responses. It is called again after an error of the stream that came before it, and goes on where
   * that one stopped.
   */
  readonly input: () => Readable
  readonly output: Writable
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  readonly newId?: () => string
}

/** One connection to a client. Instances share nothing. */
export class RpcUi implements Ui {
  readonly #options: RpcOptions
  readonly #clock: Clock
  readonly #requests: Requests
  readonly #lines = new LineSplitter(RESPONSE_MAX)
  #restarts = 0
  #closed: 'connection_closed' | 'server_shutdown' | null = null
  #stopReading: () => void = () => undefined
  #editorText = ''

  /** Begins to read at once. */
  constructor(options: RpcOptions) {
    const { clock = systemClock, timeoutMs = TIMEOUT_MS, newId = randomUUID } = options
    this.#options = options
    this.#clock = clock
    this.#requests = new Requests({ clock, timeoutMs, newId })
    options.output.on('error', () => this.#end('connection_closed'))
    this.#read()
  }

  select(title: string, options: readonly SelectOption[], opts: ChoiceOptions = {}) {
    return this.#ask('select', { title, options, opts: choiceOpts(opts) }, isChoiceOf(options, opts), opts)
  }

  confirm(title: string, message: string, opts: AskOptions = {}) {
    return this.#ask('confirm', { title, message, opts: {} }, isYesOrNo, opts)
  }

  input(title: string, placeholder: string | null, opts: AskOptions = {}) {
    return this.#ask('input', { title, placeholder, opts: {} }, isText, opts)
  }

  editor(title: string, prefill: string, opts: AskOptions = {}) {
    return this.#ask('editor', { title, prefill, opts: {} }, isText, opts)
  }

  notify(message: string, type: NoticeType = 'info'): void {
    this.#write({ method: 'notify', params: { message, type } })
  }

  setStatus(key: string, text: string | null): void {
    this.#write({ method: 'set_status', params: { key, text } })
  }

  setWidget(key: string, content: WidgetContent, opts: Readonly<Record<string, unknown>> = {}): void {
    this.#write({ method: 'set_widget', params: { key, content, opts } })
  }

  setWorkingMessage(message: string | null): void {
    this.#write({ method: 'set_working_message', params: { message } })
  }

  setTitle(title: string): void {
    this.#write({ method: 'set_title', params: { title } })
  }

  setEditorText(text: string): void {
    this.#editorText = text
    this.#write({ method: 'set_editor_text', params: { text } })
  }

  getEditorText(): string {
    return this.#editorText
  }

  hasUi(): boolean {
    return true
  }

  /** Stops reading. Open questions fail with `server_shutdown`. */
  close(): void {
    this.#end('server_shutdown')
  }

  #ask<T>(method: string, params: object, fits: Fits<T>, opts: AskOptions): Promise<Outcome<T>> {
    if (this.#closed !== null) return Promise.resolve(failed(this.#closed))
    return this.#requests.ask({ fits, opts, send: (id) => this.#write({ id, method, params }) })
  }

  #write(message: object): void {
    const { output } = this.#options
    if (this.#closed !== null || !output.writable) return
    output.write(`${jsonLine(message)}\n`)
    if (output.writableLength > UNREAD_BYTES_MAX) this.#end('connection_closed')
  }

  #read(): void {
    if (this.#closed !== null) return
    const input = this.#options.input()
    const receive = (piece: Uint8Array | string): void => {
      this.#restarts = 0
      for (const line of this.#lines.push(piece)) this.#receive(line)
    }
    const end = (): void => this.#end('connection_closed')
    const restart = (): void => {
      this.#stopReading()
      if (this.#restarts++ >= READER_RESTARTS_MAX) return end()
      this.#stopReading = this.#clock.after(READER_PAUSE_MS, () => this.#read())
    }
    this.#stopReading = () => {
      input.off('data', receive).off('end', end).off('close', end).off('error', restart)
      // An error that comes later has no one to tell.
      input.on('error', () => undefined)
      input.pause()
    }
    input.on('data', receive).on('end', end).on('close', end).on('error', restart)
  }

  #receive(line: string): void {
    const message = objectIn(line)
    if (message !== null) this.#requests.answer(message.id, responseIn(message))
  }

  #end(why: 'connection_closed' | 'server_shutdown'): void {
    if (this.#closed !== null) return
    this.#closed = why
    this.#stopReading()
    this.#requests.failAll(why)
  }
}

/** A result wins over an error, and null is a cancelled answer. */
const responseIn = ({ result, error }: Readonly<Record<string, unknown>>): Response => {
  if (result !== undefined && result !== null) return answered(result)
  if (error !== undefined && error !== null) return errorIn(error)
  return result === null ? answered(null) : failed('invalid_response')
}
