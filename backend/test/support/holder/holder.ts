/**
 * Speaks to a holder as the backend does. It can also send what the backend never sends: any offset, and no patience.
 */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { until } from '@slipway/testing'
import type Docker from 'dockerode'
import { BUILT_IN, FOLDER } from '../../../src/runtime/docker/held/binary.ts'
import { ackFrame, FrameReader, inputFrame } from '../../../src/runtime/docker/held/frames.ts'
import { AGENT_HOME } from '@slipway/protocol'
import type { OutputName } from '../../../src/runtime/program.ts'

/** How long an answer may take, in milliseconds. The engine starts the execs of other tests at the same time. */
const WITHIN_MS = 120_000

/**
 * An exec that is attached to a held session, or tries to attach. It acknowledges output at once unless the test says
 * otherwise.
 */
export class Attachment {
  readonly session: string
  /** The holder's first message. Empty before it has arrived. */
  hello: ReadonlyMap<string, string> = new Map()
  /** Offsets at which output continued after some was lost. */
  readonly lost: number[] = []
  /**
   * Bytes of input that no longer wait. It counts input that was typed since this exec attached, and input that waited
   * at that moment.
   */
  taken = 0
  /** Offset of the first byte of output. Null before any has arrived. */
  first: number | null = null
  /** The wait status (waitpid). Null if the holder has not reported it. */
  status: number | null = null
  /** Whether the holder has reported that no process of the session is left. */
  isGone = false
  readonly #exec: Docker.Exec
  readonly #socket: Duplex
  readonly #pieces: Record<OutputName, Buffer[]> = { stdout: [], stderr: [] }

  constructor(session: string, exec: Docker.Exec, socket: Duplex, acknowledges = true) {
    this.session = session
    this.#exec = exec
    this.#socket = socket
    const reader = new FrameReader({
      output: (bytes, from, offset) => {
        if (from === 'stdout') this.first ??= offset
        this.#pieces[from].push(bytes)
        if (acknowledges) this.send(ackFrame(from, offset + bytes.length))
      },
      notice: (notice) => {
        if (notice.type === 'hello') this.hello = notice.fields
        if (notice.type === 'taken') this.taken = notice.bytes
        if (notice.type === 'lost' && notice.of === 'stdout') this.lost.push(notice.offset)
        if (notice.type === 'exit') this.status = notice.status
        if (notice.type === 'gone') this.isGone = true
      },
    })
    socket.on('data', (chunk: Buffer) => reader.push(chunk))
    // The socket of an exec that has ended accepts no acknowledgements.
    socket.on('error', () => undefined)
  }

  /** A number from the holder's first message. */
  said(name: string): number {
    return Number(this.hello.get(name))
  }

  get text(): string {
    return Buffer.concat(this.#pieces.stdout).toString('latin1')
  }

  /** The error output so far. */
  get errors(): string {
    return Buffer.concat(this.#pieces.stderr).toString('latin1')
  }

  send(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame)
  }

  type(text: string): void {
    this.send(inputFrame(Buffer.from(text)))
  }

  async shows(text: string): Promise<void> {
    await until(`${text} from the holder`, () => this.text.includes(text), WITHIN_MS)
  }

  /**
   * Drops the connection without a message, as a backend does that is killed. Bytes that were sent before still arrive.
   */
  leave(): void {
    this.#socket.end(() => this.#socket.destroy())
  }

  /** The exit code of the attached process, once all its output has arrived. The holder's main.c lists the codes. */
  exitCode(): Promise<number> {
    const look = async (): Promise<number | null> => {
      // The engine may report the end before its stream has delivered the rest of the output.
      if (!this.#socket.readableEnded && !this.#socket.destroyed) return null
      const { Running, ExitCode } = await this.#exec.inspect()
      return Running ? null : ExitCode
    }
    return until('the attachment to end', look, WITHIN_MS)
  }
}

interface Hold {
  readonly waitSeconds: number
  readonly whenFull: 'drop' | 'block'
  readonly io: 'input' | 'no-input'
  readonly folder: string
  readonly acknowledges: boolean
}

/** The holder's own commands in one container. */
export class Holders {
  readonly #container: Docker.Container
  readonly #program: string

  /** `program` is the path of a holder other than the image's. */
  constructor(container: Docker.Container, program = BUILT_IN) {
    this.#container = container
    this.#program = program
  }

  /** Starts `argv` on a terminal, and resolves after the holder's first message. */
  serve(argv: readonly string[], waitSeconds: number): Promise<Attachment> {
    const session = randomUUID()
    return this.#greeted(session, ['serve', FOLDER, session, String(waitSeconds), '80', '24', ...argv])
  }

  /** Starts `argv` on pipes, with the smallest log for its output. It acknowledges nothing until the test does. */
  hold(argv: readonly string[], options: Partial<Hold> = {}): Promise<Attachment> {
    const { waitSeconds = 600, whenFull = 'block', io = 'input', folder = '.', acknowledges = false } = options
    const session = randomUUID()
    const numbers = ['0', '0']
    const args = ['hold', FOLDER, session, String(waitSeconds), '1', whenFull, io, ...numbers, folder, ...argv]
    return this.#greeted(session, args, acknowledges)
  }

  attach(session: string, ...offsets: readonly number[]): Promise<Attachment> {
    return this.#greeted(session, ['attach', FOLDER, session, ...offsets.map(String)])
  }

  /** The exit code of an attempt to attach to a session that nothing holds. */
  async refusal(session: string): Promise<number> {
    return (await this.#run(session, ['attach', FOLDER, session, '0'])).exitCode()
  }

  /** The exit code of an attempt to start a program in this folder. */
  async refusedFolder(folder: string): Promise<number> {
    const session = randomUUID()
    const args = ['hold', FOLDER, session, '600', '1', 'block', 'no-input', '0', '0', folder, 'true']
    return (await this.#run(session, args)).exitCode()
  }

  async #greeted(session: string, args: readonly string[], acknowledges = true): Promise<Attachment> {
    const attachment = await this.#run(session, args, acknowledges)
    await until('the greeting of a holder', () => attachment.hello.size > 0, WITHIN_MS)
    return attachment
  }

  async #run(session: string, args: readonly string[], acknowledges = true): Promise<Attachment> {
    const exec = await this.#container.exec({
      Cmd: [this.#program, ...args],
      WorkingDir: AGENT_HOME,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    })
    return new Attachment(session, exec, await exec.start({ hijack: true, stdin: true }), acknowledges)
  }
}
