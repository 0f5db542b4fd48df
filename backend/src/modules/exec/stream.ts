/** A program's outputs as they arrive, one JSON object on each line. */
import { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { ErrorBody, ExecResult } from '@slipway/protocol'
import { SECOND_MS } from '../../lib/time/clock.ts'
import type { OutputName, Program } from '../../runtime/program.ts'

/** Time between two heartbeats, in milliseconds. Proxies cut connections that are silent for a minute. */
const ALIVE_EVERY_MS = 15 * SECOND_MS

export const NDJSON = 'application/x-ndjson'

/** A slow reader slows the program down. */
export class ResultStream extends Readable {
  readonly #decoders = { stdout: new StringDecoder('utf8'), stderr: new StringDecoder('utf8') }
  readonly #alive = setInterval(() => this.#line({ type: 'alive' }), ALIVE_EVERY_MS)
  #program: Pick<Program, 'pause' | 'resume'> | null = null

  started(program: Pick<Program, 'pause' | 'resume'>): void {
    this.#program = program
  }

  output(from: OutputName, chunk: Uint8Array): void {
    const text = this.#decoders[from].write(Buffer.from(chunk))
    if (text !== '' && !this.#line({ type: from, text })) this.#program?.pause()
  }

  /** The last line, without the output, which was sent already. */
  finish({ exitCode, timedOut, outOfMemory, durationMs }: ExecResult): void {
    for (const from of ['stdout', 'stderr'] as const) {
      const text = this.#decoders[from].end()
      if (text !== '') this.#line({ type: from, text })
    }
    this.#last({ type: 'exit', exitCode, timedOut, outOfMemory, durationMs })
  }

  fail(error: ErrorBody): void {
    this.#last({ type: 'error', ...error })
  }

  override _read(): void {
    this.#program?.resume()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearInterval(this.#alive)
    done(error)
  }

  /** Nothing follows the last line, however slowly the reader reads. */
  #last(value: object): void {
    clearInterval(this.#alive)
    this.#line(value)
    this.push(null)
  }

  #line(value: object): boolean {
    return this.destroyed || this.readableEnded ? false : this.push(`${JSON.stringify(value)}\n`)
  }
}
