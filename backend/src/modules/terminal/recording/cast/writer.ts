/** The server's side of the thread that writes recordings. */
import { Worker } from 'node:worker_threads'
import { BLOCK_BYTES, type FromWriter, type ToWriter } from './messages.ts'

/** How many blocks are kept for reuse: as many as one recorded flood has under way. */
const SPARE_BLOCKS = 16

/** Gets the answers for one recording. */
export type Hear = (message: FromWriter) => void

export class CastWriter {
  readonly #listeners = new Map<string, Hear>()
  readonly #spare: ArrayBuffer[] = []
  #worker: Worker | null = null

  /**
   * A block to send with {@link send}, or to give back. Blocks are reused, because new memory costs a recorded flood as
   * much as writing it.
   */
  block(): Buffer<ArrayBuffer> {
    const spare = this.#spare.pop()
    return spare ? Buffer.from(spare) : Buffer.allocUnsafeSlow(BLOCK_BYTES)
  }

  /** Returns a block that was not sent. */
  giveBack(memory: ArrayBuffer): void {
    if (this.#spare.length < SPARE_BLOCKS) this.#spare.push(memory)
  }

  /** From now on `hear` gets the answers for this recording, until it is closed or lost. */
  listen(id: string, hear: Hear): void {
    this.#listeners.set(id, hear)
  }

  /** The writer's thread owns `transfer` afterwards. */
  send(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message, transfer)
  }

  /** Ends the thread. Unanswered messages are lost. */
  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url))
    // The thread must not keep the server running. Its sockets do that.
    worker.unref()
    worker.on('message', (message: FromWriter) => this.#hear(message))
    worker.on('error', (error: Error) => this.#broken(worker, error.message))
    return worker
  }

  #hear(message: FromWriter): void {
    const hear = this.#listeners.get(message.id)
    if (message.type !== 'taken') this.#listeners.delete(message.id)
    else if (message.spare) this.giveBack(message.spare)
    hear?.(message)
  }

  /** All its recordings are lost. The next recording starts a new thread. */
  #broken(worker: Worker, cause: string): void {
    if (this.#worker === worker) this.#worker = null
    for (const id of [...this.#listeners.keys()]) this.#hear({ type: 'lost', id, loss: 'failed', cause })
  }
}
