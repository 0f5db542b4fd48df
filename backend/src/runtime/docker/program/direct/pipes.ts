/** A program on pipes without a holder: the engine's exec without a terminal. */
import type { Duplex } from 'node:stream'
import { AGENT_HOME } from '@slipway/protocol'
import { RuntimeError } from '../../../errors.ts'
import type { OutputListener, OutputName, PipesIo, Program, ProgramSpec } from '../../../program.ts'
import { type ExecContext, environment } from '../context.ts'
import { Demultiplexer } from '../demultiplexer.ts'
import { type DirectParts, DirectProgram } from './program.ts'
import { toRuntimeError } from '../../errors.ts'
import { feed } from '../feed.ts'
import { ANNOUNCEMENT_BYTES, ANNOUNCEMENT_MS, type Handshake, parseAnnouncement } from './handshake.ts'
import { scriptArgv } from '../../scripts.ts'
import { startInTime } from '../start-in-time.ts'

/** The launcher's line if the folder does not exist, or is outside the home. */
const BAD_FOLDER = 'slipway folder'

/** Most bytes of standard error that may come before the launcher's line. With more, the start fails. */
const OVERTAKING_BYTES = 1_048_576

/** Starts the program and waits until it exists, so that it can be ended from then on. */
export const startOnPipes = (context: ExecContext, spec: ProgramSpec, io: PipesIo): Promise<Program> =>
  startInTime((abortSignal) => start(context, spec, io, abortSignal))

const start = async (
  context: ExecContext,
  { session, argv, env, folder }: ProgramSpec,
  { stdin }: PipesIo,
  abortSignal: AbortSignal,
): Promise<Program> => {
  const hasInput = stdin !== 'none'
  const exec = await context.docker.getContainer(context.containerId).exec({
    Cmd: scriptArgv('start', folder, ...argv),
    Env: environment({ ...env, SLIPWAY_SESSION: session }),
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
    const program = new DirectPipes({ context, exec, socket, output, died, leader, kills })
    if (typeof stdin !== 'string') feed(program, stdin)
    return program
  } catch (error) {
    context.exits.forget(exec.id)
    throw toRuntimeError(error)
  }
}

interface Parts extends DirectParts {
  readonly output: Output
}

class DirectPipes extends DirectProgram {
  readonly #output: Output

  constructor(parts: Parts) {
    super(parts)
    this.#output = parts.output
  }

  onOutput(listener: OutputListener): void {
    const offsets = { stdout: 0, stderr: 0 }
    this.#output.listen((from, chunk) => {
      offsets[from] += chunk.length
      listener(chunk, from, offsets[from] - chunk.length)
    })
  }
}

type Listener = (from: OutputName, chunk: Uint8Array) => void

/** Reads the launcher's line, and holds the data that came with it until there is a listener. */
class Output {
  /** Rejects with `bad_folder` or `start_failed`. Then the socket is destroyed. */
  readonly announced: Promise<Handshake>
  readonly #socket: Duplex
  /** Data that came with the line, and standard error from before it. The socket is paused after the line. */
  #early: [OutputName, Uint8Array][] = []
  #listener: Listener | null = null

  constructor(socket: Duplex) {
    this.#socket = socket
    const demultiplexer = new Demultiplexer((from, chunk) => this.#take(from, chunk))
    this.announced = this.#announcement()
    // After an error the socket closes, and the close is handled.
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
      // The engine sends the two outputs separately, so the program's standard error may come before the launcher's
      // line.
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
