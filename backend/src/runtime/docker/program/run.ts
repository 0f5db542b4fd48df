/** Runs a program in a container to its end, without a terminal. */
import { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { RunOptions, RunResult } from '../../port.ts'
import { typed } from '../errors.ts'

/** Time between two checks whether the engine has noted the program's end, in milliseconds. */
const LOOK_EVERY_MS = 10
/** What is read of the engine's words if it could not start a program, in bytes. They come in place of its output. */
const WORDS_BYTES = 2048
/** The exit codes that Docker gives a program that it could not start. */
const NOT_STARTED_CODES: ReadonlySet<number> = new Set([126, 127, 128])
/** It had no time for it. */
const TOO_BUSY = 'context deadline exceeded'

/** Keeps the first `limit` bytes and drops the rest, so that large output costs no memory. */
export class Collector extends Writable {
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
    const first = await runOnce(docker, containerId, options)
    // It has not run, so it cannot run twice.
    return first.wasTooBusy ? runOnce(docker, containerId, options) : first
  })

/** `wasTooBusy`: the engine could not start the program within its own time limit. */
const runOnce = async (
  docker: Docker,
  containerId: string,
  options: RunOptions,
): Promise<RunResult & { readonly wasTooBusy: boolean }> => {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), options.timeoutMs)
  const stdout = new Collector(Math.max(options.maxOutputBytes, WORDS_BYTES))
  const stderr = new Collector(options.maxOutputBytes)
  try {
    const exec = await docker.getContainer(containerId).exec({
      Cmd: [...options.argv],
      WorkingDir: AGENT_HOME,
      AttachStdin: options.input !== undefined,
      AttachStdout: true,
      AttachStderr: true,
      abortSignal: late.signal,
    })
    const withInput = options.input !== undefined
    const stream = await exec.start({ hijack: true, stdin: withInput, abortSignal: late.signal })
    late.signal.addEventListener('abort', () => stream.destroy())
    docker.modem.demuxStream(stream, stdout, stderr)
    if (withInput) stream.end(options.input)
    stream.once('end', () => stream.destroy())
    // A close without an end means that the engine went away. The output may be incomplete then.
    await finished(stream, { writable: false })
    const exitCode = await exitCodeOf(exec, late.signal)
    const isStarted = !NOT_STARTED_CODES.has(exitCode) || (await exec.inspect()).Pid !== 0
    return {
      exitCode,
      stdout: stdout.bytes.subarray(0, options.maxOutputBytes),
      stderr: stderr.bytes,
      wasTooBusy: !isStarted && stdout.bytes.includes(TOO_BUSY),
    }
  } catch (error) {
    if (!late.signal.aborted) throw error
    throw new RuntimeError('timed_out', `${options.argv[0] ?? 'a program'} took over ${options.timeoutMs} ms`)
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The output may end before the engine has noted the program's end: under load, or if the program closes its outputs
 * early.
 */
export const exitCodeOf = async (exec: Docker.Exec, late: AbortSignal): Promise<number> => {
  for (;;) {
    const { Running, ExitCode } = await exec.inspect()
    if (!Running && ExitCode !== null) return ExitCode
    await pause(LOOK_EVERY_MS, undefined, { signal: late })
  }
}
