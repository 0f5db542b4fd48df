/** A stream that keeps the lines that are written to it. */
import { Writable } from 'node:stream'

export class LinesOut extends Writable {
  #text = ''
  readonly #listeners = new Set<() => void>()

  /** Calls the listener after each write. */
  onText(listener: () => void): void {
    this.#listeners.add(listener)
  }

  get text(): string {
    return this.#text
  }

  /** The JSON values of its lines. */
  get values(): Record<string, unknown>[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#text += chunk.toString()
    for (const listener of this.#listeners) listener()
    done()
  }
}
