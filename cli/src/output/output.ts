/** Writes what a command has to say. Only `attach` writes to a terminal without it. */
import type { Writable } from 'node:stream'
import { jsonLine } from '../ui/lines.ts'
import { plain } from './plain.ts'

/** A process's standard output or standard error, or a stream of a test. */
export type Stream = Writable & { readonly isTTY?: boolean | undefined; readonly columns?: number | undefined }

export class Output {
  readonly stdout: Stream
  readonly stderr: Stream

  constructor(stdout: Stream, stderr: Stream) {
    this.stdout = stdout
    this.stderr = stderr
  }

  /** A text for people, made harmless. */
  say(text: string): void {
    this.stdout.write(`${plain(text)}\n`)
  }

  /** The same beside the result: progress, hints, failures. */
  note(text: string): void {
    this.stderr.write(`${plain(text)}\n`)
  }

  /** One JSON value in one line. A terminal obeys none of it. */
  json(value: unknown): void {
    this.stdout.write(`${jsonLine(value)}\n`)
  }

  /** Bytes as they are. A terminal gets them as text, made harmless. */
  async bytes(text: string, to: 'stdout' | 'stderr'): Promise<void> {
    const stream = this[to]
    await written(stream, stream.isTTY === true ? plain(text) : text)
  }
}

/** Resolves when the stream has the text. */
export const written = (stream: Writable, text: string | Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.write(text, (error) => {
      if (error) reject(error)
      else resolve()
    })
  })
