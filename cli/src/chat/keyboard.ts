/** The line in which a user writes, at the bottom of a terminal. What a conversation says appears above it. */
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { HeldLines } from '../tty/held-lines.ts'

export interface KeyboardOptions {
  readonly input: Readable
  readonly output: Writable
  /** One message: lines that come at once, as a paste does, are one. */
  readonly onText: (text: string) => void
  /** Ctrl+C */
  readonly onInterrupt: () => void
  /** Ctrl+D, or the end of the input. */
  readonly onEnd: () => void
}

const PROMPT = '> '
/** Ends a line that is not the last one of its message. */
const GOES_ON = /\\$/

export class Keyboard {
  readonly #options: KeyboardOptions
  #lines: Interface | null = null
  /** What was written when a question came. */
  #draft = ''
  /** Lines of a message that is not complete. */
  #text: string[] = []
  #isClosed = false

  constructor(options: KeyboardOptions) {
    this.#options = options
  }

  /** Shows the line, with what was written before. */
  open(): void {
    if (this.#isClosed || this.#lines) return
    const { input, output, onInterrupt, onEnd } = this.#options
    const lines = createInterface({ input, output, terminal: true, prompt: PROMPT, historySize: 100 })
    this.#lines = lines
    lines.on('line', (line) => this.#line(line))
    lines.on('SIGINT', () => onInterrupt())
    lines.on('close', () => {
      if (this.#lines === lines) onEnd()
    })
    lines.prompt()
    lines.write(this.#draft)
  }

  /** Takes the line away, for something else that reads the keyboard. */
  suspend(): void {
    const lines = this.#lines
    if (!lines) return
    this.#draft = lines.line
    this.#wipe(lines)
    this.#lines = null
    lines.close()
  }

  close(): void {
    this.suspend()
    this.#isClosed = true
  }

  /** Writes something above the line. */
  above(write: () => void): void {
    const lines = this.#lines
    if (!lines) return write()
    this.#wipe(lines)
    write()
    lines.prompt(true)
  }

  #wipe(lines: Interface): void {
    const { output } = this.#options
    moveCursor(output, 0, -lines.getCursorPos().rows)
    cursorTo(output, 0)
    clearScreenDown(output)
  }

  #line(line: string): void {
    const isFirst = this.#text.length === 0
    this.#text.push(line.replace(GOES_ON, ''))
    if (isFirst) setImmediate(() => this.#take(line))
    else if (!GOES_ON.test(line)) setImmediate(() => this.#take(line))
  }

  /** All lines that came with the first one are there. */
  #take(line: string): void {
    if (this.#text.length === 0 || GOES_ON.test(line)) return
    const text = this.#text.join('\n')
    this.#text = []
    this.#lines?.prompt()
    this.#options.onText(text)
  }
}

/** Lines that appear above the keyboard, and a prompt that has the keyboard for itself. */
export class LinesAbove extends HeldLines {
  readonly #keyboard: () => Keyboard | null

  constructor(keyboard: () => Keyboard | null) {
    super()
    this.#keyboard = keyboard
  }

  override to(sink: { write(text: string): unknown }): { write(text: string): unknown } {
    const above = (text: string): void => {
      const write = (): void => void sink.write(text)
      const keyboard = this.#keyboard()
      if (keyboard) keyboard.above(write)
      else write()
    }
    return super.to({ write: above })
  }

  override hold(): void {
    this.#keyboard()?.suspend()
    super.hold()
  }

  override release(): void {
    super.release()
    this.#keyboard()?.open()
  }
}
