/** Runs a program in a container to its end, without a terminal. */
import { Writable } from 'node:stream'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { RunOptions, RunResult } from '../port.ts'
import { typed } from './errors.ts'
import { AGENT_USER, HOME } from './profile.ts'

/** Keeps the first `limit` bytes and drops the rest, so that a chatty program costs no memory. */
class Collector extends Writable {
  readonly #chunks: Buffer[] = []
  #room: number

  constructor(limit: number) {
    super()
    this.#room = limit
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const kept = chunk.subarray(0, this.#room)
    if (kept.length > 0) this.#chunks.push(kept)
    this.#room -= kept.length
    done()
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks)
  }
}

/** See {@link RunOptions}; fails with a `RuntimeError`. */
export const runInContainer = (docker: Docker, containerId: string, options: RunOptions): Promise<RunResult> =>
  typed(async () => {
    const exec = await docker.getContainer(containerId).exec({
      Cmd: [...options.argv],
      User: AGENT_USER,
      WorkingDir: HOME,
      AttachStdin: options.input !== undefined,
      AttachStdout: true,
      AttachStderr: true,
    })
    const stream = await exec.start({ hijack: true, stdin: options.input !== undefined })
    const stdout = new Collector(options.maxOutputBytes)
    const stderr = new Collector(options.maxOutputBytes)
    docker.modem.demuxStream(stream, stdout, stderr)
    const ended = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new RuntimeError('timed_out', `${options.argv[0] ?? 'a program'} took over ${options.timeoutMs} ms`))
        stream.destroy()
      }, options.timeoutMs)
      stream.once('close', () => {
        clearTimeout(timer)
        resolve()
      })
      stream.once('end', () => stream.destroy())
      stream.once('error', reject)
    })
    if (options.input !== undefined) stream.end(options.input)
    await ended
    const { ExitCode } = await exec.inspect()
    return { exitCode: ExitCode ?? -1, stdout: stdout.bytes, stderr: stderr.bytes }
  })
