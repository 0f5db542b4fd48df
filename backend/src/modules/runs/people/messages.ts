/** What the protocol of a run's CLI needs to be told over its open input, besides answers of people. */
import type { Message } from '../../providers/headless/headless.ts'
import type { ProgramInput } from './input.ts'

interface MessagesDeps {
  readonly input: Pick<ProgramInput, 'write'>
  /** Stores that the message is about to be sent. Rejects if the transcript takes nothing any more. */
  readonly sending: (id: string) => Promise<void>
}

export class RunMessages {
  readonly #deps: MessagesDeps
  /** Those that this backend has written, of the last list. */
  #written: ReadonlySet<string> = new Set()
  /** Settles when all that was noticed so far is written. */
  #work: Promise<boolean> = Promise.resolve(true)

  constructor(deps: MessagesDeps) {
    this.#deps = deps
  }

  /** The messages that the program waits for, as far as its output is stored. Each is written once by this backend. */
  update(messages: readonly Message[]): void {
    const fresh = messages.filter(({ id }) => !this.#written.has(id))
    this.#written = new Set(messages.map(({ id }) => id))
    for (const { id, line, once } of fresh)
      void this.#do(() => (once ? this.#deps.sending(id) : Promise.resolve()), line)
  }

  /** Writes this line after what waits. Answers whether it was written. */
  write(line: string): Promise<boolean> {
    return this.#do(() => Promise.resolve(), line)
  }

  /** In order. What could not be stored is not written: the run is left to another backend, or its disk is full. */
  #do(before: () => Promise<void>, line: string): Promise<boolean> {
    this.#work = this.#work.then(before).then(
      () => this.#deps.input.write(Buffer.from(`${line}\n`)),
      () => false,
    )
    return this.#work
  }
}
