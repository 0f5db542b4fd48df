/** No user is there: safe defaults at once, and notices in a log. */
import { answered, type NoticeType, type Outcome, type Ui } from './ui.ts'

/** Takes one line at each of its levels. */
export interface Logger {
  debug(line: string): void
  info(line: string): void
  warning(line: string): void
  error(line: string): void
}

/** For CI jobs, tests and batches. A default is never a yes. */
export class HeadlessUi implements Ui {
  readonly #logger: Logger

  constructor(logger: Logger) {
    this.#logger = logger
  }

  select(): Promise<Outcome<string | readonly string[]>> {
    return Promise.resolve(answered<string>(null))
  }

  confirm(): Promise<Outcome<boolean>> {
    return Promise.resolve(answered(false))
  }

  input(): Promise<Outcome<string>> {
    return Promise.resolve(answered<string>(null))
  }

  editor(): Promise<Outcome<string>> {
    return Promise.resolve(answered<string>(null))
  }

  notify(message: string, type: NoticeType = 'info'): void {
    if (type === 'success') this.#logger.info(`[SUCCESS] ${message}`)
    else this.#logger[type](message)
  }

  setStatus(): void {
    // No user would see it.
  }

  setWidget(): void {
    // No user would see it.
  }

  setWorkingMessage(message: string | null): void {
    if (message !== null) this.#logger.debug(`[WORKING] ${message}`)
  }

  setTitle(): void {
    // No user would see it.
  }

  setEditorText(): void {
    // There is no editor.
  }

  getEditorText(): string {
    return ''
  }

  hasUi(): boolean {
    return false
  }
}
