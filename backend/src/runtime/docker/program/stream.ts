/** Runs a program in a container with streams for its input and output, both with back-pressure. */
import { type Duplex, type Readable, Transform } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../../errors.ts'
import type { ProgramEnd, ProgramStream } from '../../port.ts'
import { Demultiplexer } from './demultiplexer.ts'
import { toRuntimeError, typed } from '../errors.ts'
import { Collector, exitCodeOf } from './run.ts'
import { startInTime } from './start-in-time.ts'

/** How much of standard error is kept, in bytes: a few lines that say what went wrong. */
const STDERR_BYTES = 4096
/** How long the engine may take to note the program's end after its output has ended, in milliseconds. */
const EXIT_MS = 10_000

/** How the program runs. Absent: as the container's user, in the home. */
export type StreamOptions = Pick<Docker.ExecCreateOptions, 'User' | 'WorkingDir'>

/** See {@link ProgramStream}; fails with a `RuntimeError`. */
export const streamInContainer = (
  docker: Docker,
  containerId: string,
  argv: readonly string[],
  options: StreamOptions = {},
): Promise<ProgramStream> =>
  typed(async () => {
    const { exec, socket } = await startInTime((abortSignal) =>
      start(docker, containerId, { WorkingDir: AGENT_HOME, ...options, Cmd: [...argv] }, abortSignal),
    )
    const stderr = new Collector(STDERR_BYTES)
    const output = socket.pipe(standardOutput(stderr))
    const exit = typed(async (): Promise<ProgramEnd> => {
      await over(socket, output)
      const exitCode = await exitCodeOf(exec, AbortSignal.timeout(EXIT_MS))
      return { exitCode, stderr: stderr.bytes }
    })
    // A caller that closes the stream early need not wait for its end.
    exit.catch(() => undefined)
    return { output, input: socket, exit, close: () => socket.destroy() }
  })

const start = async (
  docker: Docker,
  containerId: string,
  options: Docker.ExecCreateOptions,
  abortSignal: AbortSignal,
) => {
  const attached = { AttachStdin: true, AttachStdout: true, AttachStderr: true }
  const exec = await docker.getContainer(containerId).exec({ ...options, ...attached, abortSignal })
  const socket: Duplex = await exec.start({ hijack: true, stdin: true, abortSignal })
  return { exec, socket }
}

/** Passes on standard output with back-pressure, and collects standard error. */
const standardOutput = (stderr: Collector): Transform => {
  const demultiplexer = new Demultiplexer((from, chunk) => {
    if (from === 'stderr') stderr.write(chunk)
    else output.push(chunk)
  })
  const output = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      demultiplexer.take(chunk)
      done()
    },
  })
  return output
}

/**
 * Resolves when there is no more output. If the socket breaks before its end, the output breaks, too, because it is
 * incomplete. The socket also breaks if a program ends while input is under way, so the exit code is always asked for.
 */
const over = (socket: Duplex, output: Readable): Promise<void> =>
  new Promise((resolve) => {
    const brokenBy = (error: Error): void => {
      output.destroy(toRuntimeError(error))
      resolve()
    }
    output.on('error', () => undefined)
    output.once('end', () => {
      socket.destroy()
      resolve()
    })
    socket.on('error', brokenBy)
    socket.once('close', () => {
      if (!socket.readableEnded) brokenBy(new RuntimeError('engine_unavailable', 'the program was cut off'))
    })
  })
