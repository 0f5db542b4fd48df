/** Dialogs in typed envelopes, which share a stream with other messages. Its owner hands it the responses. */
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { isObject, jsonLine } from './lines.ts'
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

export interface DebugOptions {
  readonly output: Writable
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs?: number
  readonly clock?: Clock
  readonly newId?: () => string
}

export class DebugUi implements Ui {
  readonly #output: Writable
  readonly #requests: Requests
  #isClosed = false
  #editorText = ''

  constructor({ output, timeoutMs = TIMEOUT_MS, clock = systemClock, newId = randomUUID }: DebugOptions) {
    this.#output = output
    this.#requests = new Requests({ clock, timeoutMs, newId })
  }

  /**
   * Takes a message `ui_response`, already parsed. Anything else, and a response to no open question, is ignored. An error wins
   * over a result; without either, the person cancelled.
   */
  handleResponse(message: unknown): void {
    if (!isObject(message) || message.type !== 'ui_response') return
    this.#requests.answer(message.id, responseIn(message))
  }

  select(title: string, options: readonly SelectOption[], opts: ChoiceOptions = {}) {
    const wire = choiceOpts(opts)
    const params = { title, options, ...(Object.keys(wire).length > 0 ? { opts: wire } : {}) }
    return this.#ask('select', params, isChoiceOf(options, opts), opts)
  }

  confirm(title: string, message: string, opts: AskOptions = {}) {
    return this.#ask('confirm', { title, message }, isYesOrNo, opts)
  }

  input(title: string, placeholder: string | null, opts: AskOptions = {}) {
    return this.#ask('input', { title, placeholder }, isText, opts)
  }

  editor(title: string, prefill: string, opts: AskOptions = {}) {
    return this.#ask('editor', { title, prefill }, isText, opts)
  }

  /** The field is `notify_type`, because `type` is the envelope's. */
  notify(message: string, type: NoticeType = 'info'): void {
    this.#write('ui_notify', { message, notify_type: type })
  }

  setStatus(key: string, text: string | null): void {
    this.#write('ui_status', { key, text })
  }

  setWidget(key: string, content: WidgetContent, opts: Readonly<Record<string, unknown>> = {}): void {
    this.#write('ui_widget', { key, content, opts })
  }

  setWorkingMessage(message: string | null): void {
    this.#write('ui_working', { message })
  }

  setTitle(title: string): void {
    this.#write('ui_set_title', { title })
  }

  setEditorText(text: string): void {
    this.#editorText = text
    this.#write('ui_set_editor_text', { text })
  }

  getEditorText(): string {
    return this.#editorText
  }

  hasUi(): boolean {
    return true
  }

  /** Open questions fail with `server_shutdown`, and further ones, too. */
  close(): void {
    this.#isClosed = true
    this.#requests.failAll('server_shutdown')
  }

  #ask<T>(method: string, params: object, fits: Fits<T>, opts: AskOptions): Promise<Outcome<T>> {
    if (this.#isClosed) return Promise.resolve(failed('server_shutdown'))
    const send = (id: string): void =>
      void this.#output.write(`${jsonLine({ type: 'ui_request', id, method, params })}\n`)
    return this.#requests.ask({ send, fits, opts })
  }

  #write(type: string, params: object): void {
    if (!this.#isClosed) this.#output.write(`${jsonLine({ type, params })}\n`)
  }
}

const responseIn = ({ result = null, error = null }: Readonly<Record<string, unknown>>): Response =>
  error === null ? answered(result) : errorIn(error)
