/** A program that a holder keeps inside its container. On a terminal it is faster than Docker's own, and its sizes stay in order. */
import { constants } from 'node:os'
import type { Duplex } from 'node:stream'
import type { OutputName, Program, ProgramExit, ProgramSignal } from '../../port.ts'
import type { ExecContext } from '../pty.ts'
import {
  ackFrame,
  collectFrame,
  endFrame,
  FrameError,
  inputEndFrame,
  inputFrame,
  type Notice,
  signalFrame,
  sizeFrame,
  waitFrame,
} from './frames.ts'
import type { Greeted } from './greet.ts'
import { HeldInput } from './input.ts'

/** How often output is acknowledged, in bytes: a quarter of what the holder keeps at least. Each time wakes the engine and the holder. */
const ACK_EVERY_BYTES = 262_144
/** From the request to end until nothing is left, in milliseconds: 5 s of grace, the kills, and some. */
const GONE_WITHIN_MS = 12_000
/** How long what was sent may take to leave when this side closes, in milliseconds: an engine that hangs takes nothing. */
const LEFT_WITHIN_MS = 1000
/** Added to the number of a signal that ended a program, as shells do. */
const SIGNALLED = 128

const SIGNALS: Readonly<Record<ProgramSignal, number>> = {
  INT: constants.signals.SIGINT,
  TERM: constants.signals.SIGTERM,
  KILL: constants.signals.SIGKILL,
}

type Listener = Parameters<Program['onOutput']>[0]

interface Parts {
  readonly context: ExecContext
  readonly socket: Duplex
  readonly held: Greeted
  /** Whether the container still holds it, as far as is known. Never fails. */
  isStillHeld(): Promise<boolean>
}

export class HeldProgram implements Program {
  readonly leader: string
  readonly survives = true
  readonly exit: Promise<ProgramExit>
  readonly #parts: Parts
  readonly #gone: Promise<boolean>
  readonly #input: HeldInput
  /** Of the byte that comes next, in each output. */
  readonly #offsets: Record<OutputName, number>
  readonly #acknowledged: Record<OutputName, number>
  #status: number | null = null
  /** Whether something else than a holder spoke. */
  #isBroken = false
  /** Whether what came with the greeting was told: a program that had ended by then has said all of it there. */
  #isHeard = false
  /** Whether this side has closed. */
  #isLeft = false
  /** Whether it was told to end. */
  #isEnding = false
  #settleGone: (isGone: boolean) => void = () => undefined
  #settleOver: () => void = () => undefined

  constructor(parts: Parts) {
    this.#parts = parts
    const { socket, held } = parts
    this.leader = held.leader
    this.#offsets = { ...held.from }
    this.#acknowledged = { ...held.from }
    this.#input = new HeldInput({
      window: held.window,
      typing: held.typing,
      isTerminal: held.kind === 'terminal',
      send: (bytes, flushed) => void (socket.writable && socket.write(inputFrame(bytes), flushed)),
      end: () => this.#send(inputEndFrame()),
    })
    this.#gone = new Promise((resolve) => {
      this.#settleGone = resolve
    })
    const over = new Promise<void>((resolve) => {
      this.#settleOver = resolve
    })
    socket.once('end', () => socket.destroy())
    // It may have come in one piece with the greeting.
    this.#isBroken = socket.errored instanceof FrameError
    socket.on('error', (error) => (this.#isBroken ||= error instanceof FrameError))
    socket.once('close', () => this.#closed())
    this.exit = over.then(() => this.#howItEnded())
  }

  onOutput(listener: Listener): void {
    this.#parts.held.listen({
      output: (bytes, from, offset) => this.#output(bytes, from, offset, listener),
      notice: (notice) => this.#noticed(notice),
    })
    this.#isHeard = true
    if (this.#parts.socket.closed) this.#closed()
  }

  get acknowledged(): number {
    return this.#acknowledged.stdout
  }

  acknowledge(offset: number, from: OutputName = 'stdout'): void {
    if (offset - this.#acknowledged[from] < ACK_EVERY_BYTES) return
    this.#acknowledged[from] = offset
    this.#send(ackFrame(offset, from))
  }

  keep(seconds: number): void {
    this.#send(waitFrame(seconds))
  }

  release(): void {
    this.#isLeft = true
    this.#input.abandon()
    const { socket } = this.#parts
    // What was typed leaves first.
    const late = setTimeout(() => socket.destroy(), LEFT_WITHIN_MS)
    socket.once('close', () => clearTimeout(late))
    socket.end(() => socket.destroy())
  }

  onDrain(listener: () => void): void {
    this.#input.onDrain(listener)
  }

  write(data: Uint8Array): boolean {
    return this.#input.push(data)
  }

  endInput(): void {
    this.#input.end()
  }

  signal(name: ProgramSignal): void {
    this.#send(signalFrame(SIGNALS[name]))
  }

  pause(): void {
    this.#parts.socket.pause()
  }

  resume(): void {
    this.#parts.socket.resume()
  }

  resize(cols: number, rows: number): void {
    this.#send(sizeFrame(cols, rows))
  }

  collect(): void {
    this.#send(collectFrame())
  }

  async hangUp(): Promise<void> {
    this.#isEnding = true
    this.#acknowledgeAll()
    this.#send(endFrame())
    if (this.#status !== null) this.collect()
    const { socket, context } = this.#parts
    socket.resume()
    const late = new Promise<boolean>((resolve) => setTimeout(resolve, GONE_WITHIN_MS, false).unref())
    if (await Promise.race([this.#gone, late])) return
    // The holder was killed, or is of an earlier release and stuck behind input that nobody reads.
    try {
      await context.hangUp(this.leader)
    } finally {
      // Also if that failed: while this side is attached, the holder does not end the program by itself.
      this.release()
    }
  }

  #acknowledgeAll(): void {
    this.acknowledge(this.#offsets.stdout, 'stdout')
    this.acknowledge(this.#offsets.stderr, 'stderr')
  }

  #send(frame: Buffer): void {
    if (this.#parts.socket.writable) this.#parts.socket.write(frame)
  }

  #output(bytes: Buffer, from: OutputName, offset: number, listener: Listener): void {
    const { socket, held } = this.#parts
    const isPossible = from === 'stdout' || held.kind === 'pipes'
    // While a backend is attached nothing is left out: what speaks there is no holder.
    if (!isPossible || offset !== this.#offsets[from]) return void socket.destroy(new FrameError('output out of order'))
    this.#offsets[from] += bytes.length
    listener(bytes, from, offset)
    // Nobody looks any more, and output that is kept for nobody would keep the program from ending.
    if (this.#isEnding) this.#acknowledgeAll()
  }

  #closed(): void {
    if (!this.#isHeard && !this.#isLeft) return
    this.#settleGone(false)
    this.#settleOver()
  }

  /** An attachment that broke off is no end: the engine, or the connection to it, may be what went away. */
  async #howItEnded(): Promise<ProgramExit> {
    const { context, held, isStillHeld } = this.#parts
    if (this.#isLeft) return { exitCode: null, cause: 'engine_unavailable' }
    const exitCode = this.#status === null ? null : toExitCode(this.#status)
    const cause = await context.causeOf(exitCode, held.kills)
    const mayGoOn = this.#status === null && !this.#isBroken && cause === 'exited'
    return { exitCode, cause: mayGoOn && (await isStillHeld()) ? 'engine_unavailable' : cause }
  }

  #noticed(notice: Notice): void {
    if (notice.type === 'taken') this.#input.took(notice.bytes)
    if (notice.type === 'gone') this.#settleGone(true)
    if (notice.type !== 'exit') return
    this.#status = notice.status
    if (this.#isEnding) this.collect()
    this.#settleOver()
  }
}

/** From waitpid's status, as a shell tells it. */
const toExitCode = (status: number): number => {
  const signal = status & 0x7f
  return signal === 0 ? (status >> 8) & 0xff : SIGNALLED + signal
}
