/** A holder that is spoken to as a backend speaks to it, but for what a backend never says: any offset, and no patience. */
import { randomUUID } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { until } from '@slipway/testing'
import type Docker from 'dockerode'
import { BUILT_IN, FOLDER } from '../../../src/runtime/docker/held/binary.ts'
import { ackFrame, FrameReader, inputFrame } from '../../../src/runtime/docker/held/frames.ts'
import { AGENT_USER } from '../../../src/runtime/docker/container/profile.ts'
import { AGENT_HOME } from '@slipway/protocol'
import type { OutputName } from '../../../src/runtime/port.ts'

/** How long an answer may take, in milliseconds: the engine has the other tests' execs to start as well. */
const WITHIN_MS = 30_000

/** One exec that is attached to a held session, or would be. What comes is acknowledged at once unless told otherwise. */
export class Attachment {
  readonly session: string
  /** What the holder says first: empty before that. */
  hello: ReadonlyMap<string, string> = new Map()
  /** Offsets from which output went on after some was lost. */
  readonly lost: number[] = []
  /** So much of what was typed since it was attached, or waited then, does not wait any more. */
  taken = 0
  /** Of the first byte of output that came; null: none has. */
  first: number | null = null
  /** As of waitpid; null: it was not told. */
  status: number | null = null
  /** Whether nothing of the session is left, as the holder says. */
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
    // A socket of an exec that is over takes no more acknowledgements.
    socket.on('error', () => undefined)
  }

  /** A number that the holder said first. */
  said(name: string): number {
    return Number(this.hello.get(name))
  }

  get text(): string {
    return Buffer.concat(this.#pieces.stdout).toString('latin1')
  }

  /** What came of the error output. */
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

  /** Goes away without a word, as a backend that was killed. What was sent before still arrives. */
  leave(): void {
    this.#socket.end(() => this.#socket.destroy())
  }

  /** How the attached process ended, once everything that it said is there; see the holder's main.c for the numbers. */
  exitCode(): Promise<number> {
    const look = async (): Promise<number | null> => {
      // The engine may know of the end before its stream has brought the rest.
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

  /** `program` is where another one is than the image's own. */
  constructor(container: Docker.Container, program = BUILT_IN) {
    this.#container = container
    this.#program = program
  }

  /** Starts `argv` and resolves when the holder has said what it holds. */
  serve(argv: readonly string[], waitSeconds: number): Promise<Attachment> {
    const session = randomUUID()
    return this.#greeted(session, ['serve', FOLDER, session, String(waitSeconds), '80', '24', ...argv])
  }

  /** Starts `argv` on pipes, with as little room for its output as there may be, and acknowledges nothing unless told to. */
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

  /** With which exit code the attempt to attach ends where nobody holds the session. */
  async refusal(session: string): Promise<number> {
    return (await this.#run(session, ['attach', FOLDER, session, '0'])).exitCode()
  }

  /** With which exit code a program is refused in a folder. */
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
      User: AGENT_USER,
      WorkingDir: AGENT_HOME,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
    })
    return new Attachment(session, exec, await exec.start({ hijack: true, stdin: true }), acknowledges)
  }
}
