/** A program without a terminal inside a container, watched while it runs. */
import type { Duplex } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import type Docker from 'dockerode'
import { RuntimeError } from '../errors.ts'
import type { OutputName, PipesOptions, Program, ProgramExit, ProgramOptions, ProgramSignal } from '../port.ts'
import { Demultiplexer } from './demultiplexer.ts'
import { toRuntimeError } from './errors.ts'
import { endOfExec } from './exec-end.ts'
import { ANNOUNCEMENT_BYTES, ANNOUNCEMENT_MS, type Handshake, parseAnnouncement } from './handshake.ts'
import { INPUT_QUEUE_BYTES } from './held/input.ts'
import { AGENT_USER } from './profile.ts'
import { environment, type ExecContext } from './pty.ts'
import { scriptArgv } from './scripts.ts'
import { startInTime } from './start-in-time.ts'

/** What the launcher says of a folder that is none, or lies outside the home. */
const BAD_FOLDER = 'slipway folder'

/** Errors that may overtake the line, in bytes: a container that prints more of them is not waited for. */
const OVERTAKING_BYTES = 1_048_576

type Listener = (from: OutputName, chunk: Uint8Array) => void

/** Starts the program and waits until it exists, so that it can be ended from then on. */
export const startDockerProgram = (
  context: ExecContext,
  containerId: string,
  options: ProgramOptions,
  io: PipesOptions,
): Promise<Program> => startInTime((abortSignal) => start(context, containerId, { options, io }, abortSignal))

const start = async (
  context: ExecContext,
  containerId: string,
  { options, io }: { readonly options: ProgramOptions; readonly io: PipesOptions },
  abortSignal: AbortSignal,
): Promise<Program> => {
  const { argv, cwd, env, session } = options
  const hasInput = io.input !== 'none'
  const exec = await context.docker.getContainer(containerId).exec({
    Cmd: scriptArgv('start', cwd, ...argv),
    Env: environment({ ...env, SLIPWAY_SESSION: session }),
    User: AGENT_USER,
    WorkingDir: AGENT_HOME,
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
    abortSignal,
  })
  const died = new Promise<number>((resolve) => context.exits.once(exec.id, resolve))
  try {
    const socket: Duplex = await exec.start({ hijack: true, stdin: hasInput, abortSignal })
    const output = new Output(socket)
    const { leader, kills } = await output.announced
    if (io.input instanceof Uint8Array) socket.end(io.input)
    return new DockerProgram({ context, exec, socket, output, died, leader, kills })
  } catch (error) {
    context.exits.forget(exec.id)
    throw toRuntimeError(error)
  }
}

interface Parts {
  readonly context: ExecContext
  readonly exec: Docker.Exec
  readonly socket: Duplex
  readonly output: Output
  readonly died: Promise<number>
  readonly leader: string
  readonly kills: number
}

class DockerProgram implements Program {
  readonly leader: string
  readonly survives = false
  readonly acknowledged = 0
  readonly exit: Promise<ProgramExit>
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
    this.leader = parts.leader
    const { context, exec, socket, died, kills } = parts
    this.exit = endOfExec({ exec, socket, died, exits: context.exits }).then(async (exitCode) => ({
      exitCode,
      cause: await context.causeOf(exitCode, kills),
    }))
  }

  onOutput(listener: Parameters<Program['onOutput']>[0]): void {
    const offsets = { stdout: 0, stderr: 0 }
    this.#parts.output.listen((from, chunk) => {
      offsets[from] += chunk.length
      listener(chunk, from, offsets[from] - chunk.length)
    })
  }

  acknowledge(): void {
    // Nothing keeps it.
  }

  keep(): void {
    // It ends with this backend.
  }

  release(): void {
    void this.hangUp().catch(() => undefined)
  }

  onDrain(listener: () => void): void {
    this.#parts.socket.on('drain', listener)
  }

  write(data: Uint8Array): boolean {
    const { socket } = this.#parts
    if (socket.writableLength > INPUT_QUEUE_BYTES) return false
    return socket.writable ? socket.write(data) : true
  }

  endInput(): void {
    this.#parts.socket.end()
  }

  signal(name: ProgramSignal): void {
    // It fails where the container is gone, and the program with it.
    void this.#parts.context.signal(this.leader, name).catch(() => undefined)
  }

  resize(): void {
    // Pipes have no size.
  }

  collect(): void {
    // Nothing keeps it.
  }

  pause(): void {
    this.#parts.socket.pause()
  }

  resume(): void {
    this.#parts.socket.resume()
  }

  hangUp(): Promise<void> {
    return this.#parts.context.hangUp(this.leader)
  }
}

/** Reads the launcher's line off the front, and keeps what came with it until somebody listens. */
class Output {
  /** Fails with `bad_folder` or `start_failed`, and then the socket is destroyed. */
  readonly announced: Promise<Handshake>
  readonly #socket: Duplex
  /** What came with the line, or of the other output before it; the socket is paused after it. */
  #early: [OutputName, Uint8Array][] = []
  #listener: Listener | null = null

  constructor(socket: Duplex) {
    this.#socket = socket
    const demultiplexer = new Demultiplexer((from, chunk) => this.#take(from, chunk))
    this.announced = this.#announcement()
    // An error is followed by the close, which is what counts.
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => demultiplexer.take(chunk))
  }

  listen(listener: Listener): void {
    this.#listener = listener
    for (const [from, chunk] of this.#early.splice(0)) listener(from, chunk)
    this.#socket.resume()
  }

  #take(from: OutputName, chunk: Uint8Array): void {
    if (this.#listener) this.#listener(from, chunk)
    else this.#early.push([from, chunk])
  }

  async #announcement(): Promise<Handshake> {
    const { promise, resolve, reject } = Promise.withResolvers<Handshake>()
    let line = Buffer.alloc(0)
    let overtaking = 0
    const fail = (code: 'bad_folder' | 'start_failed', detail: string): void => {
      this.#socket.destroy()
      reject(new RuntimeError(code, detail))
    }
    const onClose = (): void => {
      const complaint = Buffer.concat(this.#early.map(([, chunk]) => chunk)).toString('utf8')
      fail('start_failed', complaint.slice(0, ANNOUNCEMENT_BYTES).trim() || 'the program ended before it began')
    }
    const timer = setTimeout(() => fail('start_failed', 'the engine did not start it in time'), ANNOUNCEMENT_MS)
    this.#listener = (from, chunk) => {
      // The engine carries the two outputs separately: an error of the program itself may overtake the line.
      if (from === 'stderr') {
        this.#early.push([from, chunk])
        overtaking += chunk.length
        return overtaking > OVERTAKING_BYTES ? fail('start_failed', 'it announced nothing') : undefined
      }
      line = Buffer.concat([line, chunk])
      const end = line.indexOf(0x0a)
      if (end < 0) return line.length > ANNOUNCEMENT_BYTES ? fail('start_failed', 'it announced nothing') : undefined
      const text = line.subarray(0, end).toString('latin1')
      if (text === BAD_FOLDER) return fail('bad_folder', 'not a folder inside the home')
      const announced = parseAnnouncement(text)
      if (!announced) return fail('start_failed', text.slice(0, ANNOUNCEMENT_BYTES))
      this.#socket.pause()
      this.#listener = null
      if (end + 1 < line.length) this.#early.push(['stdout', line.subarray(end + 1)])
      resolve(announced)
    }
    this.#socket.once('close', onClose).once('end', onClose)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#socket.off('close', onClose).off('end', onClose)
    }
  }
}
