/** The server's end of the thread that writes recordings. */
import { Worker } from 'node:worker_threads'
import { BLOCK_BYTES, type FromWriter, type ToWriter } from './messages.ts'

/** So many blocks that were written wait to be filled again: as many as one recorded flood has on the way. */
const SPARE_BLOCKS = 16

/** Told what became of one recording's bytes. */
export type Hear = (message: FromWriter) => void

export class CastWriter {
  readonly #listeners = new Map<string, Hear>()
  readonly #spare: ArrayBuffer[] = []
  #worker: Worker | null = null

  /** Memory that can be given away with {@link send}, or back. Taken again and again: new memory costs a recorded flood as much as writing it. */
  block(): Buffer<ArrayBuffer> {
    const spare = this.#spare.pop()
    return spare ? Buffer.from(spare) : Buffer.allocUnsafeSlow(BLOCK_BYTES)
  }

  /** For what was not sent after all. */
  giveBack(memory: ArrayBuffer): void {
    if (this.#spare.length < SPARE_BLOCKS) this.#spare.push(memory)
  }

  /** From now on `hear` is told what becomes of this recording, until it is closed or lost. */
  listen(id: string, hear: Hear): void {
    this.#listeners.set(id, hear)
  }

  /** `transfer` is given away, and is not the caller's any more. */
  send(message: ToWriter, transfer: ArrayBuffer[] = []): void {
    this.#worker ??= this.#start()
    this.#worker.postMessage(message, transfer)
  }

  /** Ends the thread. What was sent and not answered is lost. */
  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = null
    await worker?.terminate()
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url))
    // What keeps a server running is its sockets.
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

  /** All that it wrote ends; the next recording begins a new one. */
  #broken(worker: Worker, cause: string): void {
    if (this.#worker === worker) this.#worker = null
    for (const id of [...this.#listeners.keys()]) this.#hear({ type: 'lost', id, loss: 'failed', cause })
  }
}
