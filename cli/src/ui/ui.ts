/** How an agent reaches a person, whatever shows it. */

/** One choice of a `select`. */
export interface SelectOption {
  readonly value: string
  readonly label: string
  readonly description?: string
}

/**
 * Why there is no answer.
 *
 * - `timeout`: it did not come in time.
 * - `connection_closed`: the client is gone.
 * - `server_shutdown`: this side has closed.
 * - `invalid_response`: the answer does not fit the question.
 * - `withdrawn`: the question needs no answer any more, because its `signal` was aborted.
 * - `client_error`: the client refused, and `message` has its words.
 */
export type UiErrorCode =
  | 'timeout'
  | 'connection_closed'
  | 'server_shutdown'
  | 'invalid_response'
  | 'withdrawn'
  | 'client_error'

/** An answer, or why there is none. The value null means that the person cancelled. Silence is never a yes. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T | null }
  | { readonly ok: false; readonly error: UiErrorCode; readonly message: string }

export const answered = <T>(value: T | null): Outcome<T> => ({ ok: true, value })
export const failed = (error: UiErrorCode, message: string = error): Outcome<never> => ({ ok: false, error, message })

export interface AskOptions {
  /** Longest wait for the answer in milliseconds, in place of the adapter's. */
  readonly timeoutMs?: number
  /** Aborted when the question needs no answer any more. */
  readonly signal?: AbortSignal
}

export interface ChoiceOptions extends AskOptions {
  /** Whether several options may be chosen. The answer is then a list. */
  readonly multiple?: boolean
  /** Whether a text of one's own may be the answer. */
  readonly custom?: boolean
}

export type NoticeType = 'info' | 'success' | 'warning' | 'error'

/** What a widget shows: a text, its lines, or null to remove it. */
export type WidgetContent = string | readonly string[] | null

/** Dialogs, notices, indicators and the text of the editor. */
export interface Ui {
  select(
    title: string,
    options: readonly SelectOption[],
    opts?: ChoiceOptions,
  ): Promise<Outcome<string | readonly string[]>>
  confirm(title: string, message: string, opts?: AskOptions): Promise<Outcome<boolean>>
  input(title: string, placeholder: string | null, opts?: AskOptions): Promise<Outcome<string>>
  editor(title: string, prefill: string, opts?: AskOptions): Promise<Outcome<string>>
  notify(message: string, type?: NoticeType): void
  /** A null text removes it. */
  setStatus(key: string, text: string | null): void
  setWidget(key: string, content: WidgetContent, opts?: Readonly<Record<string, unknown>>): void
  /** What the agent does at this moment; null: nothing. */
  setWorkingMessage(message: string | null): void
  setTitle(title: string): void
  setEditorText(text: string): void
  /** The text of the last {@link setEditorText}, without asking the client. */
  getEditorText(): string
  /** Whether a person can answer. */
  hasUi(): boolean
}

/** Timers, which a test replaces. */
export interface Clock {
  /** Runs the action once, and returns what cancels it. */
  after(ms: number, action: () => void): () => void
}

export const systemClock: Clock = {
  after: (ms, action) => {
    const timer = setTimeout(action, ms)
    return () => clearTimeout(timer)
  },
}

/** Time for an answer by default, in milliseconds. */
export const TIMEOUT_MS = 30_000
