/** Dialogs as prompts in a terminal, one after the other. Nothing of a text can act on the terminal. */
import type { Readable, Writable } from 'node:stream'
import { confirm, isCancel, multiline, multiselect, select, text } from '@clack/prompts'
import { plain, plainLine } from '../output/plain.ts'
import {
  answered,
  type AskOptions,
  type ChoiceOptions,
  failed,
  type NoticeType,
  type Outcome,
  type SelectOption,
  type Ui,
  type WidgetContent,
} from '../ui/ui.ts'
import type { HeldLines } from './held-lines.ts'

export interface TtyOptions {
  readonly input: Readable
  readonly output: Writable
  /** Holds other lines while a prompt is open. */
  readonly held: HeldLines
}

/** What a prompt of the library needs. */
interface PromptContext {
  readonly input: Readable
  readonly output: Writable
  readonly signal?: AbortSignal
}

/** What the library answers when the person leaves a prompt. */
type Cancelled = Exclude<Awaited<ReturnType<typeof text>>, string>

const MARKS: Readonly<Record<NoticeType, string>> = { info: 'i', success: '✓', warning: '!', error: '✗' }
/** Stands for a text of one's own among the options. */
const OTHER = -1

export class TtyUi implements Ui {
  readonly #options: TtyOptions
  readonly #lines: { write(text: string): unknown }
  /** The end of the last prompt. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #status = new Map<string, string>()
  #editorText = ''

  constructor(options: TtyOptions) {
    this.#options = options
    this.#lines = options.held.to(options.output)
  }

  select(title: string, options: readonly SelectOption[], opts: ChoiceOptions = {}) {
    return this.#prompt(opts, (place) => choose(title, options, opts, place))
  }

  confirm(title: string, message: string, opts: AskOptions = {}): Promise<Outcome<boolean>> {
    const asked = message === '' ? title : `${title}\n${message}`
    // An Enter that was meant for something else is no yes.
    return this.#prompt(opts, (place) => confirm({ ...place, message: plain(asked), initialValue: false }))
  }

  input(title: string, placeholder: string | null, opts: AskOptions = {}): Promise<Outcome<string>> {
    const shown = placeholder === null ? {} : { placeholder: plainLine(placeholder) }
    return this.#prompt(opts, (place) => text({ ...place, ...shown, message: plain(title) }))
  }

  editor(title: string, prefill: string, opts: AskOptions = {}): Promise<Outcome<string>> {
    return this.#prompt(opts, (place) => multiline({ ...place, message: plain(title), initialValue: plain(prefill) }))
  }

  notify(message: string, type: NoticeType = 'info'): void {
    this.#say(`${MARKS[type]} ${message}`)
  }

  setStatus(key: string, value: string | null): void {
    if ((this.#status.get(key) ?? null) === value) return
    if (value === null) this.#status.delete(key)
    else this.#status.set(key, value)
    this.#say(`· ${key}: ${value ?? '-'}`)
  }

  setWidget(_key: string, content: WidgetContent): void {
    if (content !== null) this.#say(typeof content === 'string' ? content : content.join('\n'))
  }

  setWorkingMessage(): void {
    // The events of the task say it.
  }

  setTitle(title: string): void {
    this.#say(title)
  }

  setEditorText(value: string): void {
    this.#editorText = value
  }

  getEditorText(): string {
    return this.#editorText
  }

  hasUi(): boolean {
    return true
  }

  #say(line: string): void {
    this.#lines.write(`${plain(line)}\n`)
  }

  async #prompt<T>(opts: AskOptions, ask: (place: PromptContext) => Promise<T | Cancelled>): Promise<Outcome<T>> {
    const asked = this.#last.then(() => this.#ask(opts, ask))
    this.#last = asked
    return asked
  }

  async #ask<T>({ signal }: AskOptions, ask: (place: PromptContext) => Promise<T | Cancelled>): Promise<Outcome<T>> {
    const isWithdrawn = (): boolean => signal?.aborted === true
    if (isWithdrawn()) return failed('withdrawn')
    const { input, output, held } = this.#options
    held.hold()
    try {
      const answer = await ask({ input, output, ...(signal === undefined ? {} : { signal }) })
      if (isWithdrawn()) return failed('withdrawn')
      return answered(isCancel(answer) ? null : answer)
    } finally {
      held.release()
    }
  }
}

const choose = async (
  title: string,
  options: readonly SelectOption[],
  { multiple = false, custom = false }: ChoiceOptions,
  place: PromptContext,
): Promise<string | readonly string[] | Cancelled> => {
  const message = plain(title)
  const shown = options.map(({ label, description }, value) => ({
    value,
    label: plainLine(label),
    ...(description === undefined ? {} : { hint: plainLine(description) }),
  }))
  const all = custom ? [...shown, { value: OTHER, label: 'Another answer' }] : shown
  const chosen = multiple
    ? await multiselect({ ...place, message, options: all, required: false })
    : await select({ ...place, message, options: all })
  if (isCancel(chosen)) return chosen
  const indexes = typeof chosen === 'number' ? [chosen] : chosen
  const values = indexes.flatMap((index) => options[index]?.value ?? [])
  if (indexes.includes(OTHER)) {
    const own = await text({ ...place, message })
    if (isCancel(own)) return own
    values.push(own)
  }
  return multiple ? values : (values[0] ?? '')
}
